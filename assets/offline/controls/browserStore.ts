/** The store of this browser. */
import { lockAccount, readAccount, removeSignedOut } from "../account";
import { removeDevice, startAccount } from "../devices";
import {
  cancelLesson,
  pauseLesson,
  queueLessons,
  renewLessons,
  resumeLesson,
  retryLesson,
} from "../downloads";
import { countSignedOut, listLessons, removeLessons, subscribeToLibrary } from "../library";
import { listChanges, removeChange, sendChanges } from "../outbox";
import {
  askForPersistence,
  readPreferences,
  readStorageUse,
  whyNotPossible,
  writePreferences,
} from "../storage";
import type { Store } from "./store";

/** All that pages do with what this browser stores. */
export function openStore(): Store {
  return {
    whyNotPossible,
    readAccount,
    startAccount,
    lockAccount,
    removeDevice,
    countSignedOut,
    removeSignedOut,
    listLessons,
    removeLessons,
    subscribe: (listener) => subscribeToLibrary(() => listener()),
    queueLessons,
    pauseLesson,
    resumeLesson,
    retryLesson,
    cancelLesson,
    renewLessons,
    readStorageUse: (account) => readStorageUse(account?.user ?? ""),
    askForPersistence,
    readPreferences,
    writePreferences: async (preferences) => {
      await writePreferences(preferences);
    },
    listChanges,
    removeChange,
    sendChanges,
  };
}

/** The store of this browser. */
import { csrfCookie } from "../../shared/api/csrf";
import { session } from "../../shared/auth/browser";
import { lockAccounts, readAccount, removeSignedOut } from "../account";
import { openAccount, removeDevice, startAccount } from "../devices";
import { countLeft } from "./countLeft";
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

/** A page that names nobody asks the server, unless nobody has signed in with this browser. */
async function findUser(): Promise<string | null> {
  if (!session.isAuthenticated && csrfCookie() !== undefined)
    await session.renew().catch(() => false);
  return session.state.user?.id ?? null;
}

/** All that pages do with what this browser stores. */
export function openStore(): Store {
  return {
    whyNotPossible,
    readAccount,
    findUser,
    openAccount,
    startAccount,
    lockAccount: () => lockAccounts(),
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
    // Only for signing out: pages that show what is stored don't need the code.
    settleChanges: async (account) =>
      (await import("../shell/settleAccount")).settleAccount(account),
    countLeft,
  };
}

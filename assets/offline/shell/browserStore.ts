/** The store of this browser: what the modules of assets/offline keep of the current account. */
import { isCurrent, lockAccounts, readAccount, readAccountRecord } from "../account";
import { listenToOtherTabs } from "../channel";
import { readNow } from "../clock";
import { retryLesson, renewLessons } from "../downloads";
import { findByPath, listLessons, readPackage, subscribeToLibrary } from "../library";
import { readMarker } from "../marker";
import { addChange, listChanges, sendChanges } from "../outbox";
import { showSyncReport } from "../report";
import type { Account, LessonPackage, OfflineLesson } from "../types";
import { changeLocal, listLocal, readLocal, readValue } from "../values";
import { type LocalLesson, untouched } from "./localLesson";
import type { Dependencies, OfflinePractice, Store, StoredPage } from "./store";

/** How often the time is read again: a device that slept is behind. */
const READ_CLOCK_INTERVAL_MS = 60_000;

/** The time that goes on by the monotonic clock of the page, from what the corrected clock said. */
async function startTime(): Promise<() => number> {
  let [read, at] = [await readNow(), performance.now()];
  const now = (): number => read + (performance.now() - at);
  const readAgain = async (): Promise<void> => {
    const found = await readNow();
    if (found > now()) [read, at] = [found, performance.now()];
  };
  setInterval(() => void readAgain().catch(() => undefined), READ_CLOCK_INTERVAL_MS);
  document.addEventListener("visibilitychange", () => void readAgain().catch(() => undefined));
  return () => Math.round(now());
}

/** The store of an account for as long as a page is open. */
async function openStoreOf(account: Account): Promise<Store> {
  // A page is decrypted once, not with each call of a player.
  const packages = new Map<string, Promise<LessonPackage | null>>();
  subscribeToLibrary(({ kind }) => {
    if (kind === "lessons") packages.clear();
  });
  const store = makeStore(account, await startTime());
  const readPackageOnce = (lesson: string): Promise<LessonPackage | null> => {
    const known = packages.get(lesson) ?? store.readPackage(lesson);
    packages.set(lesson, known);
    return known;
  };
  return { ...store, readPackage: readPackageOnce };
}

/** @param now milliseconds since 1970 */
export function makeStore(account: Account, now: () => number): Store {
  return {
    account,
    now,
    isCurrent: () => isCurrent(account),
    onClosed: (listener) =>
      listenToOtherTabs((event) => {
        if (event.kind !== "account") return;
        const judge = (isOpen: boolean) => !isOpen && listener();
        void isCurrent(account).then(judge, () => undefined);
      }),
    listLessons: () => listLessons(account),
    findByPath: (pathname) => findByPath(account, pathname),
    readPackage: async (lesson) => {
      const found = await readPackage(account, lesson);
      return found && { ...found, resources: [] };
    },
    readLocal: async (lesson) => ({
      ...untouched,
      ...(await readLocal<LocalLesson>(account, lesson)),
    }),
    changeLocal: (lesson, change) =>
      changeLocal<LocalLesson>(account, lesson, (known) => change({ ...untouched, ...known })),
    listLocal: async () => [...(await listLocal(account)).keys()],
    addChange: (change, title, asked) => addChange(account, change, title, asked),
    listChanges: () => listChanges(account),
    sendChanges: () => sendChanges(account),
    onSynced: (listener) =>
      subscribeToLibrary((event) => {
        if (event.kind === "synced") listener(event.report);
      }),
    onAdded: (listener) =>
      subscribeToLibrary(({ kind }) => {
        if (kind === "outbox") listener();
      }),
    readCompleted: async () => new Set(await readValue<string[]>(account, "completed")),
    readDashboard: () => readValue<StoredPage>(account, "dashboard"),
    readPractice: () => readValue<OfflinePractice>(account, "practice"),
    renew: (lesson) => renew(account, lesson),
    lockFor: (user) => lockAccounts({ except: user }),
  };
}

function renew(account: Account, { uid, state }: OfflineLesson): Promise<void> {
  return state === "failed" ? retryLesson(account, uid) : renewLessons(account, [uid]);
}

export const browserDependencies: Dependencies = {
  openStore: async () => {
    const account = await readAccount();
    return account && openStoreOf(account);
  },
  lastContact: async () => {
    const account = await readAccount();
    return (account && (await readAccountRecord(account.user))?.checkedInAt) ?? 0;
  },
  hasStored: () => readMarker() !== null,
  showReport: showSyncReport,
};

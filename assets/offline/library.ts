/** The lessons that this browser stores, for pages and islands. */
import { readAccountRecord } from "./account";
import { announceEvent, type LibraryEvent, listenToEvents } from "./channel";
import { readNow } from "./clock";
import { type LessonRecord, openDatabase } from "./database";
import { deleteLessons, readRecord, readRecords, toLesson, updateRecord } from "./lessons";
import { readPage, type StoredPackage } from "./packages";
import type { Account, OfflineLesson } from "./types";
import { listLocal, readLocal } from "./values";

export type { LibraryEvent, StoredPackage };

/** All lessons of the account, in the order in which they were queued; not those that can't be read. */
export async function listLessons(account: Account): Promise<OfflineLesson[]> {
  const [now, locals] = await Promise.all([readNow(), listLocal(account)]);
  const records = await readRecords(account.user);
  const show = (record: LessonRecord): Promise<OfflineLesson | null> =>
    toLesson(account, record, { now, local: locals.get(record.uid) }).catch(() => null);
  return (await Promise.all(records.map(show))).filter((lesson) => lesson !== null);
}

export async function readLesson(account: Account, uid: string): Promise<OfflineLesson | null> {
  const record = await readRecord(account.user, uid);
  if (!record) return null;
  const local = (await readLocal(account, uid)) ?? undefined;
  return toLesson(account, record, { now: await readNow(), local });
}

/**
 * The package of a lesson; null unless all of it is stored, it has not expired, and its page goes with the shell that is
 * stored. `readLesson` says which. Rejects if it can't be read; then it is stored again with the next connection.
 */
export async function readPackage(account: Account, uid: string): Promise<StoredPackage | null> {
  const record = await readRecord(account.user, uid);
  if (!record?.ready || record.expiresAt <= (await readNow())) return null;
  if (record.ready.build !== (await readAccountRecord(account.user))?.build) return null;
  return readPage(account, uid, record.ready).catch(async (reason: unknown) => {
    await askAgain(account, uid).catch(() => undefined);
    throw reason;
  });
}

/** Have the queue replace the copy that can be opened. */
async function askAgain(account: Account, uid: string): Promise<void> {
  await updateRecord(account, uid, (record) =>
    record.ready ? { ...record, isOutdated: true, ready: { ...record.ready, stamp: "" } } : null,
  );
}

/** The lesson whose page has this address, whatever its state. */
export async function findByPath(
  account: Account,
  pathname: string,
): Promise<OfflineLesson | null> {
  const withoutSlash = (path: string) => path.replace(/\/+$/, "");
  const lessons = await listLessons(account);
  const isIt = ({ url }: OfflineLesson) =>
    withoutSlash(new URL(url, location.origin).pathname) === withoutSlash(pathname);
  return lessons.find(isIt) ?? null;
}

/** Delete lessons from this browser. What was done in them and is not sent yet stays. */
export async function removeLessons(account: Account, uids: readonly string[]): Promise<void> {
  for (const uid of uids) announceEvent({ kind: "stop", uid });
  await deleteLessons(account.user, uids);
}

/** What accounts without a key store here: their learners have signed out and kept it. */
export async function countSignedOut(): Promise<{ lessons: number; size: number }> {
  const database = await openDatabase();
  const accounts = await database.getAll("accounts");
  const locked = new Set(accounts.filter(({ key }) => !key).map(({ user }) => user));
  const lessons = (await database.getAll("lessons")).filter(({ account }) => locked.has(account));
  return { lessons: lessons.length, size: lessons.reduce((sum, one) => sum + one.received, 0) };
}

/** Delete what accounts without a key store here. */
export { removeSignedOut } from "./account";

/** Hear of changes in this tab and in others. Returns a function that stops it. */
export function subscribeToLibrary(listener: (event: LibraryEvent) => void): () => void {
  return listenToEvents(listener);
}

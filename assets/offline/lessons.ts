/** The records of lessons: read, changed in one transaction, and shown as lists want them. */
import { mayStore } from "./account";
import { announceEvent } from "./channel";
import { type Copy, keysOf, type LessonRecord, openDatabase, type Sealed } from "./database";
import { sealValue, unsealValue } from "./sealing";
import type { Account, OfflineLesson, OfflineState, Refusal } from "./types";
import { readUnwritten } from "./unwritten";
import type { LocalState } from "./values";

/** Whose record it is, and which device of theirs changes it. */
type Owner = Pick<Account, "user" | "device">;

/** What lists show of a lesson, sealed. */
export type Summary = Pick<
  OfflineLesson,
  "course" | "section" | "number" | "title" | "kind" | "duration" | "url" | "isCompleted"
>;

export const sealSummary = (account: Account, uid: string, summary: Summary): Promise<Sealed> =>
  sealValue(account.key, [account.user, uid, "summary"], summary);

export const unsealSummary = (account: Account, record: LessonRecord): Promise<Summary> =>
  unsealValue(account.key, [account.user, record.uid, "summary"], record.summary);

export const sealRefusal = (account: Account, uid: string, refusal: Refusal): Promise<Sealed> =>
  sealValue(account.key, [account.user, uid, "refusal"], refusal);

export async function readRecords(user: string): Promise<LessonRecord[]> {
  const records = await (await openDatabase()).getAll("lessons", keysOf(user));
  return records.sort((one, other) => one.order - other.order);
}

export async function readRecord(user: string, uid: string): Promise<LessonRecord | undefined> {
  return (await openDatabase()).get("lessons", [user, uid]);
}

/** Whether the copy that could be opened is to be replaced: it has changed, or goes with another build than the shell. */
export const isUpdateDue = ({ state, isOutdated, ready }: LessonRecord, build: string): boolean =>
  state === "downloaded" && (isOutdated || ready?.build !== build);

/**
 * Change the record of a lesson in one transaction. `change` gets the present record and returns the new one, or null
 * to leave it. Returns the new record; null if it was left, or the account is gone or locked.
 */
export async function changeRecord(
  account: Owner,
  uid: string,
  change: (record: LessonRecord | undefined) => LessonRecord | null,
): Promise<LessonRecord | null> {
  const transaction = (await openDatabase()).transaction(["accounts", "lessons"], "readwrite");
  const lessons = transaction.objectStore("lessons");
  const owner = await transaction.objectStore("accounts").get(account.user);
  const changed = mayStore(owner, account) ? change(await lessons.get([account.user, uid])) : null;
  if (changed) await lessons.put(changed);
  await transaction.done;
  if (changed) announceEvent({ kind: "lessons" });
  return changed;
}

/** Change a record that is there. */
export function updateRecord(
  account: Owner,
  uid: string,
  change: (record: LessonRecord) => LessonRecord | null,
): Promise<LessonRecord | null> {
  return changeRecord(account, uid, (record) => (record ? change(record) : null));
}

/** Move a lesson on from one of these states. What was wrong with it is forgotten. */
export async function moveState(
  account: Owner,
  uid: string,
  from: readonly OfflineState[],
  state: "paused" | "waiting" | "held",
): Promise<void> {
  await updateRecord(account, uid, (record) =>
    from.includes(record.state) ? { ...record, state, refusal: null } : null,
  );
}

/** Delete everything that is stored of lessons, but not what their learner did in them: some of it may be unsent. */
export async function deleteLessons(user: string, uids: readonly string[]): Promise<void> {
  const stores = ["lessons", "packages", "pieces"] as const;
  const transaction = (await openDatabase()).transaction(stores, "readwrite");
  for (const uid of uids)
    for (const name of stores) await transaction.objectStore(name).delete(keysOf(user, uid));
  await transaction.done;
  announceEvent({ kind: "lessons" });
}

/** Delete what is stored of a lesson, and keep why: its learner may no longer have it. */
export async function endLesson(account: Account, uid: string, refusal: Refusal): Promise<void> {
  const sealed = await sealRefusal(account, uid, refusal);
  const stores = ["accounts", "lessons", "packages", "pieces"] as const;
  const transaction = (await openDatabase()).transaction(stores, "readwrite");
  const lessons = transaction.objectStore("lessons");
  const owner = await transaction.objectStore("accounts").get(account.user);
  const record = await lessons.get([account.user, uid]);
  if (record && mayStore(owner, account)) {
    for (const name of ["packages", "pieces"] as const)
      await transaction.objectStore(name).delete(keysOf(account.user, uid));
    await lessons.put({ ...record, ...emptied, state: "ended", refusal: sealed });
  }
  await transaction.done;
  announceEvent({ kind: "stop", uid });
  announceEvent({ kind: "lessons" });
}

/** A record of which nothing is stored. */
export const emptied = {
  received: 0,
  ready: null as Copy | null,
  wanted: null as Copy | null,
  isOutdated: false,
  expiresAt: 0,
  storedAt: 0,
  sizes: {} as Record<number, number>,
};

/** A lesson as lists show it. */
export async function toLesson(
  account: Account,
  record: LessonRecord,
  { now, local }: { now: number; local: LocalState | undefined },
): Promise<OfflineLesson> {
  const summary = await unsealSummary(account, record);
  const { uid, quality, size, received, expiresAt, storedAt } = record;
  const refusal = record.refusal
    ? await unsealValue<Refusal>(account.key, [account.user, uid, "refusal"], record.refusal)
    : null;
  const isExpired = record.state === "downloaded" && expiresAt <= now;
  const unwritten = readUnwritten(account.user, record.state);
  return {
    ...summary,
    uid,
    quality,
    size,
    received,
    expiresAt: record.ready ? expiresAt : 0,
    storedAt,
    refusal: unwritten ?? refusal,
    state: unwritten ? "failed" : isExpired ? "expired" : record.state,
    isCompleted: summary.isCompleted || local?.isCompleted === true,
    position: local?.position ?? 0,
  };
}

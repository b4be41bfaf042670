/** Stores the lessons of the queue: one after the other, and by one tab at a time. */
import { changeAccount, readAccount, readAccountRecord } from "./account";
import { listenToEvents } from "./channel";
import type { LessonRecord } from "./database";
import { downloadLesson } from "./downloadLesson";
import { isUpdateDue, moveState, readRecords, sealRefusal, updateRecord } from "./lessons";
import { runExclusively } from "./locks";
import { connectionAllows, isWorkerOff } from "./network";
import { refuse } from "./refusals";
import { isShellOutdated, updateShell } from "./shellFiles";
import { isQuotaError, readPreferences } from "./storage";
import type { Account, OfflineState, Refusal } from "./types";
import { forgetUnwritten, noteUnwritten } from "./unwritten";

export const DOWNLOADS_LOCK = "study-offline-downloads";
const MAX_BUILDS_IN_A_RUN = 2;
const MAX_UNSERVED_IN_A_ROW = 3;
const FIRST_RETRY_DELAY_MS = 30_000;
const MAX_RETRY_DELAY_MS = 5 * 60_000;

let running: Promise<void> | null = null;
let current: { uid: string; controller: AbortController } | null = null;
let stopFollowing: (() => void) | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;
let delay = FIRST_RETRY_DELAY_MS;
let isStopped = false;
/** Lessons on which the server failed when they were tried last. */
const failing = new Set<string>();
/** It was called while it ran: something may have been added that it has not seen. */
let isCalledAgain = false;

/** Continue when the connection returns, and leave off a lesson that another tab pauses. */
function follow(): () => void {
  const start = () => {
    void leaveMeteredConnection().catch(() => undefined);
    void runDownloads();
  };
  const { connection } = navigator as { connection?: EventTarget };
  addEventListener("online", start);
  addEventListener("pagehide", stopDownloads);
  connection?.addEventListener("change", start);
  const stopListening = listenToEvents((event) => {
    if (event.kind === "stop" && event.uid === current?.uid) current.controller.abort();
    if (event.kind === "preferences") start();
  });
  return () => {
    removeEventListener("online", start);
    removeEventListener("pagehide", stopDownloads);
    connection?.removeEventListener("change", start);
    stopListening();
  };
}

/** Leave off what is fetched over a connection that the learner doesn't want for it. */
async function leaveMeteredConnection(): Promise<void> {
  if (!connectionAllows(await readPreferences())) current?.controller.abort();
}

/** Store what waits, until nothing does. Where another call of this tab does so, that looks again at its end. */
export function runDownloads(): Promise<void> {
  isStopped = false;
  clearTimeout(retry);
  stopFollowing ??= follow();
  isCalledAgain = running !== null;
  running ??= runExclusively(DOWNLOADS_LOCK, run)
    .catch((reason: unknown) => (isQuotaError(reason) ? sayFull() : undefined))
    .catch(() => undefined) // no database: nothing waits
    .then(() => {
      running = null;
      return isCalledAgain && !isStopped ? runDownloads() : undefined;
    });
  return running;
}

/** The storage is so full that no record can be changed: what waits is shown as stopped for as long as the page is open. */
async function sayFull(): Promise<void> {
  const account = await readAccount();
  if (account) noteUnwritten(account.user, refuse("OFFLINE_STORAGE_FULL"));
}

/** Leave off: the page is put aside. What is stored stays, and the next page continues. */
export function stopDownloads(): void {
  isStopped = true;
  clearTimeout(retry);
  current?.controller.abort();
  stopFollowing?.();
  stopFollowing = null;
}

const moveAll = async (account: Account, from: OfflineState[], to: "waiting" | "held") => {
  for (const { uid, state } of await readRecords(account.user))
    if (from.includes(state)) await moveState(account, uid, from, to);
};

/** The next lesson to store: what waits, those last on which the server failed; then what can be opened but has changed. */
async function takeNext(
  account: Account,
  isWanted: (record: LessonRecord) => boolean,
): Promise<string | null> {
  const records = await readRecords(account.user);
  const waiting = records.filter(({ state }) => state === "waiting");
  waiting.sort((one, other) => Number(failing.has(one.uid)) - Number(failing.has(other.uid)));
  for (const { uid } of waiting) {
    const taken = await updateRecord(account, uid, (record) =>
      record.state === "waiting" ? { ...record, state: "downloading" } : null,
    );
    if (taken) return uid;
  }
  return records.find(isWanted)?.uid ?? null;
}

const needsWork =
  (tried: ReadonlySet<string>, build: string) =>
  (record: LessonRecord): boolean =>
    record.state === "waiting" || (isUpdateDue(record, build) && !tried.has(record.uid));

/** Do something that a page that is put aside, or another tab, ends. */
async function work<T>(uid: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  current = { uid, controller: new AbortController() };
  try {
    return await task(current.controller.signal);
  } finally {
    current = null;
  }
}

async function run(): Promise<void> {
  forgetUnwritten();
  const account = await readAccount();
  if (!account || isWorkerOff()) return;
  // This tab has the lock: what is "downloading" was interrupted.
  await moveAll(account, ["downloading", "held"], "waiting");
  const tried = new Set<string>();
  let builds = 0;
  /** How many lessons the server has failed on since the last one that was stored, and whether it has on any. */
  let unserved = 0;
  let hasUnserved = false;
  // Signed out meanwhile, there is nothing to go on with.
  while (!isStopped && (await readAccount())?.device === account.device) {
    const isWanted = needsWork(tried, (await readAccountRecord(account.user))?.build ?? "");
    const hasWork = (await readRecords(account.user)).some(isWanted);
    const isOutdated = await isShellOutdated(account);
    if (!hasWork && !isOutdated) return hasUnserved ? hold(account, delay) : undefined;
    if (!connectionAllows(await readPreferences())) return hold(account, null);
    if (isOutdated) {
      const outcome = await work("", (signal) => updateShell(account, signal));
      if (outcome === "full") return failAll(account, refuse("OFFLINE_STORAGE_FULL"));
      if (outcome === "later") return hold(account, delay);
      continue;
    }
    const uid = await takeNext(account, isWanted);
    if (uid === null) continue;
    tried.add(uid);
    const outcome = await work(uid, (signal) => downloadLesson(account, uid, signal));
    if (outcome.kind === "done") {
      delay = FIRST_RETRY_DELAY_MS;
      unserved = 0;
    } else {
      const isLeft = outcome.kind === "unserved";
      await moveState(account, uid, ["downloading"], isLeft ? "held" : "waiting");
    }
    failing.delete(uid);
    if (outcome.kind === "unserved") {
      failing.add(uid);
      hasUnserved = true;
      // The others come first; but if it fails on one after the other, it is the server.
      if (++unserved >= MAX_UNSERVED_IN_A_ROW) return hold(account, delay);
    }
    if (outcome.kind === "newBuild") {
      // The site is being updated, machine by machine, if it answers with one build and the other.
      if (++builds > MAX_BUILDS_IN_A_RUN) return hold(account, delay);
      await changeAccount(account.user, { siteBuild: outcome.build });
    }
    if (outcome.kind === "held")
      return hold(account, outcome.wait === undefined ? delay : outcome.wait * 1000);
  }
}

/** Say why nothing of what waits can be stored. */
async function failAll(account: Account, why: Refusal): Promise<void> {
  for (const { uid, state } of await readRecords(account.user)) {
    if (state !== "waiting") continue;
    const refusal = await sealRefusal(account, uid, why);
    await updateRecord(account, uid, (record) =>
      record.state === "waiting" ? { ...record, state: "failed", refusal } : null,
    );
  }
}

/** Wait for the connection; if there seems to be one, try again after a while. */
async function hold(account: Account, wait: number | null): Promise<void> {
  await moveAll(account, ["waiting", "downloading"], "held");
  if (wait === null || isStopped) return;
  retry = setTimeout(() => void runDownloads(), wait);
  delay = Math.min(delay * 2, MAX_RETRY_DELAY_MS);
}

/** Sends what was done without a connection: in order, and by one tab at a time. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import { ApiError } from "../shared/api/errors";
import type { components } from "../shared/api/schema.gen";
import { mayStore } from "./account";
import { announceEvent } from "./channel";
import { noteServerTime } from "./clock";
import { followRefusal } from "./contact";
import { type ChangeRecord, openDatabase } from "./database";
import { followOutcome } from "./followOutcome";
import { runExclusively } from "./locks";
import { listRecords, openChange, type Opened, placeOf, type Stored } from "./outboxRecords";
import { sealValue } from "./sealing";
import { isQuotaError } from "./storage";
import type { Account, Refusal, SyncReport } from "./types";

type Outcome = components["schemas"]["TakenChange"];

export const OUTBOX_LOCK = "study-offline-outbox";
const MAX_CHANGES_AT_ONCE = 50;
/** The server counts the values of bodies that are larger than 64 KiB. A single change may be larger. */
const MAX_BATCH_CHARACTERS = 60_000;
const MIN_WAIT_SECONDS = 5;
const MAX_WAIT_MS = 24 * 3_600_000;
/** When there was no response, or the server asked for no longer wait. */
const RETRY_DELAY_MS = 30_000;

/** When a request may be sent again after one that failed. */
let retryAt = 0;

const UNKNOWN: Refusal = { code: "UNKNOWN_ERROR", title: "", message: "" };
/** Milliseconds for which a change waits. More than the server ever asks for means that the clock was changed. */
function waitOf({ notBefore }: ChangeRecord, now: number): number {
  const wait = notBefore - now;
  return wait > MAX_WAIT_MS ? 0 : Math.max(0, wait);
}

/** Milliseconds until something of what waits may be sent; null if nothing waits. */
export async function nextSendingIn(account: Account): Promise<number | null> {
  const now = Date.now();
  const waits = (await listRecords(account))
    .filter(({ refusal }) => !refusal)
    .map((record) => Math.max(waitOf(record, now), retryAt - now, MIN_WAIT_SECONDS * 1000));
  return waits.length > 0 ? Math.min(...waits) : null;
}

/** What may be sent now, as much as fits into a request. From here on it is not changed any more. */
async function takeBatch(account: Account, limit: number): Promise<Opened[]> {
  const now = Date.now();
  const batch: Opened[] = [];
  let characters = 0;
  for (const record of await listRecords(account)) {
    if (record.refusal || waitOf(record, now) > 0) continue;
    const opened = await openChange(account, record).catch(() => null);
    if (!opened) {
      await postpone(account, record, now + MAX_WAIT_MS).catch(() => undefined);
      continue;
    }
    characters += JSON.stringify(opened.change).length;
    if (batch.length > 0 && (batch.length >= limit || characters > MAX_BATCH_CHARACTERS)) break;
    batch.push(opened);
  }
  return hand(account, batch).catch((reason: unknown) => {
    // Where not even the marks fit, nothing can be added, either; and sending makes room.
    if (isQuotaError(reason)) return batch;
    throw reason;
  });
}

/** Look at a change that can't be read no more until then: the others must not wait for it. */
async function postpone(account: Account, { seq }: Stored, notBefore: number): Promise<void> {
  const transaction = (await openDatabase()).transaction(["accounts", "outbox"], "readwrite");
  const owner = await transaction.objectStore("accounts").get(account.user);
  const outbox = transaction.objectStore("outbox");
  const present = await outbox.get(seq);
  // A page of an old device can't read what the present one has added.
  if (present && mayStore(owner, account)) await outbox.put({ ...present, notBefore });
  await transaction.done;
}

/** Mark what is sent, and take it as it is now: another tab may have added to it. */
async function hand(account: Account, batch: Opened[]): Promise<Opened[]> {
  const transaction = (await openDatabase()).transaction("outbox", "readwrite");
  const handed: Stored[] = [];
  for (const { record } of batch) {
    const present = await transaction.store.get(record.seq);
    if (!present) continue;
    const marked = { ...present, isHanded: true } as Stored;
    await transaction.store.put(marked);
    handed.push(marked);
  }
  await transaction.done;
  return Promise.all(handed.map((record) => openChange(account, record)));
}

/** Do with a change as the server says. */
async function settle(
  account: Account,
  { record: { seq, id } }: Opened,
  { state, refusal, wait }: Pick<Outcome, "state" | "refusal" | "wait">,
): Promise<void> {
  // Whatever is refused has a reason; without one it would be sent again and again.
  const why = refusal ?? (state === "refused" ? UNKNOWN : null);
  const reason = why && (await sealValue(account.key, placeOf(account, id, "reason"), why));
  const transaction = (await openDatabase()).transaction("outbox", "readwrite");
  const present = await transaction.store.get(seq);
  if (present && state === "taken") await transaction.store.delete(seq);
  if (present && state === "refused")
    await transaction.store.put({ ...present, refusal: reason, delay: null });
  if (present && state === "later") {
    const notBefore = Date.now() + Math.max(wait, MIN_WAIT_SECONDS) * 1000;
    await transaction.store.put({ ...present, notBefore, delay: reason });
  }
  await transaction.done;
}

/** Send a batch. A request that is refused as a whole is sent again in halves, until the bad change is alone. */
async function sendBatch(account: Account, batch: Opened[]): Promise<Outcome[]> {
  try {
    const answer = await unwrap(
      authenticatedApi.POST("/api/v1/offline/devices/{uid}/changes/", {
        params: { path: { uid: account.device } },
        body: { changes: batch.map(({ change }) => change) },
      }),
    );
    await noteServerTime(answer.now);
    return answer.results;
  } catch (reason) {
    const isBad = reason instanceof ApiError && [400, 413, 422].includes(reason.status);
    if (!isBad) throw reason;
    const [first] = batch;
    if (batch.length === 1 && first) {
      const { code, title, detail } = reason.problem;
      const refusal = { code, title, message: detail };
      const id = first.change.id;
      return [{ id, state: "refused", refusal, wait: 0, percent: null, is_passed: null }];
    }
    const half = Math.ceil(batch.length / 2);
    const outcomes = await sendBatch(account, batch.slice(0, half));
    return [...outcomes, ...(await sendBatch(account, batch.slice(half)))];
  }
}

/** Send what waits, in order. Never throws: what could not be sent waits for the next time. */
export function sendChanges(account: Account): Promise<SyncReport> {
  return runExclusively(OUTBOX_LOCK, () => send(account));
}

async function send(account: Account): Promise<SyncReport> {
  const report: SyncReport = { taken: 0, refused: [], results: [], waiting: 0 };
  try {
    for (;;) {
      const batch = await takeBatch(account, MAX_CHANGES_AT_ONCE);
      if (batch.length === 0) break;
      const outcomes = new Map((await sendBatch(account, batch)).map((one) => [one.id, one]));
      let isMoving = false;
      for (const opened of batch) {
        const outcome = outcomes.get(opened.change.id);
        if (!outcome) continue;
        isMoving = true;
        await followOutcome(account, opened.change, outcome.state).catch(() => undefined);
        await settle(account, opened, outcome);
        if (outcome.state === "taken") report.taken += 1;
        const { percent, is_passed: isPassed } = outcome;
        if (outcome.state === "taken" && percent !== null)
          report.results.push({ title: opened.title, percent, isPassed });
        if (outcome.state === "refused")
          report.refused.push({
            change: opened.change,
            title: opened.title,
            refusal: outcome.refusal,
          });
      }
      if (!isMoving) break;
    }
    retryAt = 0;
  } catch (reason) {
    const seconds = reason instanceof ApiError ? (reason.retryAfter ?? 0) : 0;
    if (reason instanceof ApiError && reason.status === 0) report.isLost = true;
    retryAt = Date.now() + Math.max(RETRY_DELAY_MS, seconds * 1000);
    await followRefusal(account, reason).catch(() => undefined);
  }
  const left = await listRecords(account).catch(() => []);
  report.waiting = left.filter(({ refusal }) => !refusal).length;
  if (report.taken + report.refused.length > 0) announceEvent({ kind: "synced", report });
  return report;
}

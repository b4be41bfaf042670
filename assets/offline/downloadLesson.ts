/** Stores one lesson: its package, then its resources, a few at a time. Each step can be repeated. */
import { ApiError } from "../shared/api/errors";
import { NotAuthenticated } from "../shared/auth/session";
import { readAccountRecord } from "./account";
import { readNow, noteServerTime } from "./clock";
import { followRefusal } from "./contact";
import { dropWanted, finishWanted, listMissing, recount, storeWanted } from "./copies";
import type { Copy, LessonRecord } from "./database";
import { fetchResource, Interrupted, Stopped, Unavailable } from "./fetchResource";
import { readRecord, sealRefusal, updateRecord } from "./lessons";
import type { Resource } from "./packages";
import { PIECE_BYTES } from "./pieces";
import { refuse } from "./refusals";
import { requestPackage } from "./requestPackage";
import { runAtOnce } from "./runAtOnce";
import { isQuotaError, readPreferences, readRoom } from "./storage";
import { piecesOf } from "./storePiece";
import type { Account, Refusal } from "./types";

/** How many resources of a lesson are fetched at once. */
const MAX_FETCHES_AT_ONCE = 3;
/** Signed addresses are valid for hours; a package that is older than this is asked for again before it continues. */
const MAX_PACKAGE_AGE_MS = 5 * 60_000;

const NO_ROOM_CODES = ["OFFLINE_STORAGE_FULL", "OFFLINE_LIMIT_REACHED"];

/**
 * full: there is no room; unserved: the server fails, perhaps only on this lesson; held: there is no connection; `wait`
 * seconds until the next attempt, if the server says how many.
 */
export type Outcome =
  | { kind: "done" | "stopped" | "failed" | "full" | "unserved" }
  | { kind: "newBuild"; build: string }
  | { kind: "held"; wait?: number | undefined };

const toRefusal = ({ problem }: ApiError): Refusal => ({
  code: problem.code,
  title: problem.title,
  message: problem.detail,
});

/** Say that a lesson could not be stored. An update of a lesson that can be opened is given up silently. */
async function fail(account: Account, uid: string, why: Refusal): Promise<Outcome> {
  const kind = NO_ROOM_CODES.includes(why.code) ? "full" : "failed";
  const record = await readRecord(account.user, uid);
  const build = (await readAccountRecord(account.user))?.build;
  if (record?.state === "downloaded" && record.ready?.build === build) {
    const failed = record.wanted && { stamp: record.wanted.stamp, at: Date.now() };
    await dropWanted(account, uid, { isOutdated: false, ...(failed && { failedUpdate: failed }) });
    return { kind };
  }
  const refusal = await sealRefusal(account, uid, why);
  await updateRecord(account, uid, (record) =>
    /^download(ing|ed)$/.test(record.state) ? { ...record, state: "failed", refusal } : null,
  );
  return { kind };
}

/** The wanted copy with addresses that are valid: as the server sends it now. */
async function refresh(account: Account, record: LessonRecord): Promise<LessonRecord | null> {
  const sent = await requestPackage(account, record.uid, record.quality);
  await noteServerTime(sent.now);
  return storeWanted(account, record, sent);
}

/** Fetch resources, MAX_FETCHES_AT_ONCE at once. The first failure ends all of them. */
async function fetchAll(
  missing: Missing,
  fetchOne: (resource: Resource, pieces: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) throw new Stopped();
  try {
    await runAtOnce(missing, MAX_FETCHES_AT_ONCE, async ({ resource, pieces }) => {
      await fetchOne(resource, pieces, controller.signal).catch((reason: unknown) => {
        controller.abort(); // the others leave off, too
        throw reason;
      });
    });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

type Missing = { resource: Resource; pieces: number }[];

/** Bytes that are not stored yet, as far as sizes are known. */
const sumMissing = (missing: Missing): number =>
  missing.reduce(
    (sum, { resource, pieces }) => sum + Math.max(0, (resource.size ?? 0) - pieces * PIECE_BYTES),
    0,
  );

/** Why so many bytes can't be stored now for want of room; null if they can. */
async function whyNoRoom(account: Account, needed: number): Promise<Refusal | null> {
  // A new page, or another date, needs no room that counts.
  if (needed <= 0) return null;
  const { limit } = await readPreferences();
  const { own, free } = await readRoom(account.user);
  if (own + needed > limit) return refuse("OFFLINE_LIMIT_REACHED");
  return needed > free ? refuse("OFFLINE_STORAGE_FULL") : null;
}

/** complete: all of the wanted copy is stored; newBuild: it is of another build of the site than it should be. */
export type Preparation = Outcome | { kind: "complete" };

async function prepare(
  account: Account,
  uid: string,
  { build, signal }: { build: string; signal: AbortSignal },
): Promise<Preparation> {
  let record = (await readRecord(account.user, uid)) ?? null;
  if (!record) return { kind: "stopped" };
  const isFresh = isUsable(record.wanted, build);
  record = isFresh ? await recount(account, uid) : await refresh(account, record);
  let leftAtFailure = -1;
  for (;;) {
    if (!record?.wanted) return { kind: "stopped" };
    if (record.wanted.build !== build) return { kind: "newBuild", build: record.wanted.build };
    const missing = await listMissing(account, record, record.wanted);
    const full = await whyNoRoom(account, sumMissing(missing));
    if (full) return fail(account, uid, full);
    try {
      await fetchAll(missing, fetchInto(account, record, record.wanted), signal);
      return { kind: "complete" };
    } catch (reason) {
      if (!(reason instanceof Unavailable)) throw reason;
      // Addresses expire while a long lesson is stored. Only new ones that bring nothing are a failure.
      const left = (await listMissing(account, record, record.wanted)).length;
      if (left === leftAtFailure) return fail(account, uid, refuse("OFFLINE_FILE_MISSING"));
      leftAtFailure = left;
      record = await refresh(account, record);
    }
  }
}

/** Whether the addresses of a copy should still be valid. */
function isUsable(copy: Copy | null, build: string): boolean {
  if (copy?.build !== build) return false;
  const age = Date.now() - copy.askedAt;
  return age >= 0 && age < MAX_PACKAGE_AGE_MS;
}

const fetchInto =
  (account: Account, { uid }: LessonRecord, { version }: Copy) =>
  (resource: Resource, pieces: number, signal: AbortSignal): Promise<void> => {
    const store = piecesOf(account, uid, { version, resource });
    return fetchResource(resource, pieces, { store, signal });
  };

/**
 * Store all of a lesson for a build of the site, but do not finish: what could be opened before still is. Never throws.
 */
export async function prepareLesson(
  account: Account,
  uid: string,
  options: { build: string; signal: AbortSignal },
): Promise<Preparation> {
  try {
    return await prepare(account, uid, options);
  } catch (reason) {
    return judge(account, uid, reason).catch(() => ({ kind: "stopped" }));
  }
}

/** Store a lesson whose state is "downloading", or update one that can be opened. Never throws. */
export async function downloadLesson(
  account: Account,
  uid: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const build = (await readAccountRecord(account.user))?.build ?? "";
  const prepared = await prepareLesson(account, uid, { build, signal });
  if (prepared.kind !== "complete") return prepared;
  const finished = await finishWanted(account, [uid], { now: await readNow() });
  return { kind: finished.length > 0 ? "done" : "stopped" };
}

/** Where the server says how long to wait, it does not mean one lesson. */
const later = (wait: number | undefined, isServerError: boolean): Outcome =>
  isServerError && wait === undefined ? { kind: "unserved" } : { kind: "held", wait };

async function judge(account: Account, uid: string, reason: unknown): Promise<Outcome> {
  if (reason instanceof Stopped) return { kind: "stopped" };
  if (reason instanceof Interrupted) return later(reason.wait, reason.isServerError);
  if (reason instanceof NotAuthenticated) return { kind: "held" };
  if (isQuotaError(reason)) return fail(account, uid, refuse("OFFLINE_STORAGE_FULL"));
  if (!(reason instanceof ApiError)) return fail(account, uid, refuse("OFFLINE_FILE_MISSING"));
  const meaning = await followRefusal(account, reason);
  if (meaning === "gone") return { kind: "stopped" };
  if (meaning === "later") return later(reason.retryAfter, reason.status >= 500);
  return fail(account, uid, toRefusal(reason));
}

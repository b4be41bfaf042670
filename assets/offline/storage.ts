/** How much room lessons take and have, and what the learner wants of it. */
import { announceEvent } from "./channel";
import { openDatabase } from "./database";
import { isWorkerOff } from "./network";
import { refuse } from "./refusals";
import type { Preferences, Refusal, StorageUse } from "./types";

const PREFERENCES_KEY = "preferences";
const BYTES_PER_GIB = 1024 ** 3;

export const DEFAULT_PREFERENCES: Preferences = {
  quality: "720p",
  isWifiOnly: false,
  removesFinished: false,
  limit: 5 * BYTES_PER_GIB,
};

export async function readPreferences(): Promise<Preferences> {
  const stored = (await (await openDatabase()).get("values", PREFERENCES_KEY)) as
    Partial<Preferences> | undefined;
  return { ...DEFAULT_PREFERENCES, ...stored };
}

export async function writePreferences(changed: Partial<Preferences>): Promise<Preferences> {
  const transaction = (await openDatabase()).transaction("values", "readwrite");
  const stored = (await transaction.store.get(PREFERENCES_KEY)) as Partial<Preferences> | undefined;
  const preferences = { ...DEFAULT_PREFERENCES, ...stored, ...changed };
  await transaction.store.put(preferences, PREFERENCES_KEY);
  await transaction.done;
  announceEvent({ kind: "preferences" });
  return preferences;
}

/** Browsers without it, or that refuse to say, grant an unknown amount: 0. */
async function estimate(): Promise<{ quota: number; usage: number }> {
  try {
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return { quota, usage };
  } catch {
    return { quota: 0, usage: 0 };
  }
}

/** Whether something could not be written because there is no room for it. */
export const isQuotaError = (reason: unknown): boolean =>
  typeof reason === "object" &&
  reason !== null &&
  "name" in reason &&
  reason.name === "QuotaExceededError";

/** Bytes of lessons by this account and by others. */
async function sumLessons(user: string): Promise<{ own: number; others: number }> {
  const sums = { own: 0, others: 0 };
  for (const { account, received } of await (await openDatabase()).getAll("lessons"))
    sums[account === user ? "own" : "others"] += received;
  return sums;
}

export async function readStorageUse(user: string): Promise<StorageUse> {
  const { quota: granted } = await estimate();
  const isPersistent = await navigator.storage.persisted().catch(() => false);
  return { ...(await sumLessons(user)), granted, isPersistent };
}

/** Bytes that lessons of this account take, and that the browser has room for as far as it says. */
export async function readRoom(user: string): Promise<{ own: number; free: number }> {
  const { quota, usage } = await estimate();
  const { own } = await sumLessons(user);
  return { own, free: quota > 0 ? quota - usage : Infinity };
}

/** Ask the browser to keep what is stored even when the device runs out of room. True if it does. */
export async function askForPersistence(): Promise<boolean> {
  try {
    return (await navigator.storage.persisted()) || (await navigator.storage.persist());
  } catch {
    return false;
  }
}

/** Why this browser can't store lessons; null if it can. */
export async function whyNotPossible(): Promise<Refusal | null> {
  const has = "serviceWorker" in navigator && "caches" in globalThis && "locks" in navigator;
  const isAble = has && !isWorkerOff() && isSecureContext && "subtle" in crypto;
  const database = isAble ? await openDatabase().catch(() => null) : null;
  if (database) return null;
  return refuse("OFFLINE_BROWSER_UNFIT");
}

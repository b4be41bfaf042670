/** Counts the time of the attempt that this page shows. Over several tabs, one of them counts. */
import { catchUp, type Clocks, readClocks, secondsBetween, spend } from "./attempts";
import type { LocalLesson } from "./localLesson";
import type { Store } from "./store";

/** How often the time is stored. */
export const STORE_INTERVAL_MS = 5000;

let counted: { lesson: string; clocks: Clocks } | null = null;

function isOpen({ attempt }: LocalLesson): boolean {
  return attempt !== null && attempt.submittedAt === null;
}

/**
 * Store the time since it was last counted. Without a page that counts, it is left to the next `startClock`; where the
 * storage is full, to the next time.
 */
export async function storeTime(store: Store, lesson: string): Promise<LocalLesson> {
  let before = counted;
  const add = (known: LocalLesson): LocalLesson => {
    before = counted;
    if (counted?.lesson !== lesson || !known.attempt || !isOpen(known)) return known;
    const clocks = readClocks();
    const seconds = secondsBetween(counted.clocks, clocks);
    counted = { lesson, clocks };
    return { ...known, attempt: spend(known.attempt, seconds, store.now()) };
  };
  return store.changeLocal(lesson, add).catch(async () => {
    counted = before;
    return store.readLocal(lesson);
  });
}

/** Count the time of a lesson's attempt until the page is left; the time since it was last seen counts at once. */
export async function startClock(store: Store, lesson: string): Promise<void> {
  if (counted?.lesson === lesson) return;
  const locks = (navigator as { locks?: LockManager }).locks;
  const count = async (): Promise<void> => {
    await store.changeLocal(lesson, (known) =>
      known.attempt && isOpen(known)
        ? { ...known, attempt: catchUp(known.attempt, store.now()) }
        : known,
    );
    counted = { lesson, clocks: readClocks() };
    setInterval(() => void storeTime(store, lesson), STORE_INTERVAL_MS);
  };
  if (!locks) return count().catch(() => undefined);
  await new Promise<void>((resolve) => {
    // Held until the page is closed. Another tab that has it counts already.
    const hold = async (lock: Lock | null): Promise<void> => {
      if (lock) await count();
      resolve();
      if (lock) await new Promise(() => undefined);
    };
    const options = { ifAvailable: true };
    // Where the storage is full, nothing is counted until it is asked for again.
    locks.request(`study-offline-attempt-${lesson}`, options, hold).catch(() => resolve());
  });
}

/** For tests: forget what this page counts. */
export function forgetClock(): void {
  counted = null;
}

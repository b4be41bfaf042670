/** The time by the server's clock. The device's clock may be wrong, and turning it back must prolong nothing. */
import { openDatabase } from "./database";

type Clock = { offset: number; seen: number };

const KEY = "clock";
/** How much later it must be before that is written down. */
const STEP_MS = 60_000;

/** Remember the server's time, as a response said it just now. It also corrects what was seen before. */
export async function noteServerTime(now: string): Promise<void> {
  const server = Date.parse(now);
  if (Number.isNaN(server)) return;
  const clock: Clock = { offset: server - Date.now(), seen: server };
  await (await openDatabase()).put("values", clock, KEY);
}

/** Milliseconds since 1970: the device's clock as corrected by the server's, and never before a time that was seen. */
export async function readNow(): Promise<number> {
  const database = await openDatabase();
  const clock = (await database.get("values", KEY)) as Clock | undefined;
  const { offset, seen } = clock ?? { offset: 0, seen: 0 };
  const now = Math.max(Date.now() + offset, seen);
  if (now > seen + STEP_MS) {
    const transaction = database.transaction("values", "readwrite");
    const latest = (await transaction.store.get(KEY)) as Clock | undefined;
    // A contact may have corrected it meanwhile.
    if (latest?.offset === clock?.offset) await transaction.store.put({ offset, seen: now }, KEY);
    await transaction.done;
  }
  return now;
}

/** The time by the server's clock. The device's clock may be wrong, and time goes on where it is turned back. */
import { openDatabase } from "./database";

/**
 * `offset`: of the server's clock to the device's; `seen`: the latest time that was seen; `resumed`: the offset with which
 * time goes on from there while the device's clock is behind it, as somebody has set it back.
 */
type Clock = { offset: number; seen: number; resumed?: number };

const CLOCK_KEY = "clock";
/** How much later it must be before that is written down. */
const MIN_STEP_TO_STORE_MS = 60_000;

/** Remember the server's time, as a response said it just now. It also corrects what was seen before. */
export async function noteServerTime(now: string): Promise<void> {
  const server = Date.parse(now);
  if (Number.isNaN(server)) return;
  await store(() => ({ offset: server - Date.now(), seen: server }));
}

/** Write the clock down. A full storage must keep nobody from learning: then it is as it was. */
async function store(change: (stored: Clock | undefined) => Clock | null): Promise<void> {
  const transaction = (await openDatabase()).transaction("values", "readwrite");
  const write = async (): Promise<void> => {
    const changed = change((await transaction.store.get(CLOCK_KEY)) as Clock | undefined);
    if (changed) await transaction.store.put(changed, CLOCK_KEY);
  };
  await Promise.allSettled([write(), transaction.done]);
}

/** The clock at a time of the device. Set back, it resumes from what was seen; set right again, it is believed again. */
function advance({ offset, seen, resumed }: Clock, date: number): Clock {
  if (date + offset >= seen) return { offset, seen: date + offset };
  const known = resumed !== undefined && date + resumed >= seen ? resumed : seen - date;
  return { offset, seen: date + known, resumed: known };
}

/** Milliseconds since 1970: the device's clock as corrected by the server's, and never before a time that was seen. */
export async function readNow(): Promise<number> {
  const clock = (await (await openDatabase()).get("values", CLOCK_KEY)) as Clock | undefined;
  const before = clock ?? { offset: 0, seen: 0 };
  const present = advance(before, Date.now());
  if (present.seen > before.seen + MIN_STEP_TO_STORE_MS || present.resumed !== before.resumed)
    // A contact may have corrected it meanwhile.
    await store((stored) => (stored?.offset === clock?.offset ? present : null));
  return present.seen;
}

/** How watching a video on this device adds up: the rules of apps/learning/activity/watching.py. */
import { newUid } from "../../shared/newUid";
import type { Change } from "../types";
import type { LocalLesson, UnsentWatching } from "./localLesson";
import { merge, type Pair, secondsIn, subtract } from "../watchedPairs";

/** Share of the distinct seconds of a video after which it is complete. */
export const COMPLETE_AT = 0.9;
/** The contract's limit of one change. */
const MAX_PAIRS_IN_CHANGE = 500;

export function isWatched(watched: readonly Pair[], duration: number): boolean {
  return duration > 0 && secondsIn(watched) >= duration * COMPLETE_AT;
}

type Saved = { position: number; watched: Pair[] };

/**
 * The state after the player has saved progress. It reports all seconds since its page was opened, so those that are
 * known are left out: they are in a change already.
 * @param now milliseconds since 1970
 */
export function addWatched(
  known: LocalLesson,
  { position, watched }: Saved,
  now: number,
): LocalLesson {
  const fresh = subtract(watched, known.watched);
  const madeAt = new Date(now).toISOString();
  const before = known.unsentWatching;
  // The player reports the seconds after they were played: they began that much earlier.
  const beganAt = new Date(now - secondsIn(fresh) * 1000).toISOString();
  const unsent: UnsentWatching = {
    beganAt: before && before.beganAt < beganAt ? before.beganAt : beganAt,
    madeAt,
    position,
    watched: merge([...(before?.watched ?? []), ...fresh]),
  };
  return {
    ...known,
    position,
    positionAt: madeAt,
    watched: merge([...known.watched, ...fresh]),
    unsentWatching: unsent,
  };
}

/** What was watched since the last change, as changes; none if nothing was. */
export function changesOfWatching(lesson: string, unsent: UnsentWatching | null): Change[] {
  if (!unsent) return [];
  const { beganAt, madeAt, position, watched } = unsent;
  // Where only the position is new, that is a change, too.
  const count = Math.max(1, Math.ceil(watched.length / MAX_PAIRS_IN_CHANGE));
  return Array.from({ length: count }, (_, place) => {
    const from = place * MAX_PAIRS_IN_CHANGE;
    const part = watched.slice(from, from + MAX_PAIRS_IN_CHANGE);
    return {
      id: newUid(),
      kind: "watched",
      lesson,
      made_at: madeAt,
      watched: { position, watched: part, began_at: beganAt },
    };
  });
}

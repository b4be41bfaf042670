/** Puts what was watched at one time and then at another into one change. */
import type { Change } from "./types";
import { merge } from "./watchedPairs";

/** As many pairs as the server takes in a change. */
const MAX_PAIRS_IN_CHANGE = 500;

/** Milliseconds for which a change was watched, by two readings of one clock. */
const spanOf = ({ made_at: made, watched }: Change): number =>
  Math.max(0, Date.parse(made) - Date.parse(watched?.began_at ?? made));

/**
 * One change for both; null if they can't be one. It began so early that there was time for both, even if the clock
 * was set back between them.
 */
export function mergeWatched(before: Change, after: Change): Change | null {
  if (before.lesson !== after.lesson || !before.watched || !after.watched) return null;
  const watched = merge([...before.watched.watched, ...after.watched.watched]);
  if (watched.length > MAX_PAIRS_IN_CHANGE) return null;
  const began = Math.min(
    Date.parse(before.watched.began_at),
    Date.parse(after.watched.began_at),
    Date.parse(after.made_at) - spanOf(before) - spanOf(after),
  );
  const { position } = after.watched;
  const began_at = new Date(began).toISOString();
  return { ...after, id: before.id, watched: { position, watched, began_at } };
}

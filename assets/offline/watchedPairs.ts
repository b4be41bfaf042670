/**
 * Seconds of a video as merged [from, to) pairs of whole seconds, as islands/player/engine/watched.ts has them: code
 * that both shared would be one more request of each video's page.
 */
export type Pair = [from: number, to: number];

/** Join what overlaps or touches. */
export function merge(pairs: readonly (readonly number[])[]): Pair[] {
  const merged: Pair[] = [];
  const sorted = [...pairs].sort(([a = 0], [b = 0]) => a - b);
  for (const [from = 0, to = 0] of sorted) {
    if (from >= to) continue;
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function secondsIn(pairs: readonly (readonly number[])[]): number {
  return merge(pairs).reduce((sum, [from, to]) => sum + to - from, 0);
}

/** The pairs of `watched` without the seconds that are known. */
export function subtract(watched: readonly Pair[], known: readonly Pair[]): Pair[] {
  const rest: Pair[] = [];
  const limits = merge(known);
  for (const [begin, end] of merge(watched)) {
    let start = begin;
    for (const [low, high] of limits) {
      if (high <= start || low >= end) continue;
      if (low > start) rest.push([start, low]);
      start = Math.max(start, high);
    }
    if (start < end) rest.push([start, end]);
  }
  return rest;
}

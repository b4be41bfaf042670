/** The seconds of a video that were played: merged [from, to) pairs of whole seconds. */
export type Pair = [from: number, to: number];

/** A larger step between two reports, in seconds, is a seek; smaller ones occur at double speed or in slow tabs. */
const LONGEST_STEP = 4;

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

export class WatchedSeconds {
  #closed: Pair[] = [];
  #open: Pair | null = null; // in fractions of seconds

  /** Report the playhead while it plays, in seconds. */
  at(time: number): void {
    const open = this.#open;
    if (open && time >= open[1] && time - open[1] <= LONGEST_STEP) open[1] = time;
    else {
      this.stop();
      this.#open = [time, time];
    }
  }

  /** Playback has paused, ended or jumped. */
  stop(): void {
    this.#closed = this.pairs;
    this.#open = null;
  }

  /** The seconds of which at least half was played. */
  get pairs(): Pair[] {
    if (!this.#open) return merge(this.#closed);
    const [from, to] = this.#open;
    return merge([...this.#closed, [Math.round(from), Math.round(to)]]);
  }
}

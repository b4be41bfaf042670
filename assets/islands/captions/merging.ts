/** What two authors did to the same cues, and what one of them can take back. Pure. */
import type { Cue, Cues } from "./cues";

const CONTENT = ["begin", "end", "text", "settings", "chapter", "is_checked", "state"] as const;

/** A change that can be taken back: cue by id, null where there is none. */
export type Patch = ReadonlyMap<string, { before: Cue | null; after: Cue | null }>;

export const isSame = (one: Cue, other: Cue): boolean =>
  one === other || CONTENT.every((name) => one[name] === other[name]);

export const removed = (cue: Cue): Cue => ({ ...cue, state: "removed" });
/** The cue as the list has it: null for what was removed. */
export const present = (cue: Cue | undefined | null): Cue | null =>
  !cue || cue.state === "removed" ? null : cue;

/** What differs between two lists. */
export function patchOf(before: Cues, after: Cues): Patch {
  const old = new Map(before.map((cue) => [cue.id, cue]));
  const patch = new Map<string, { before: Cue | null; after: Cue | null }>();
  for (const cue of after) {
    const was = old.get(cue.id) ?? null;
    if (was !== cue) patch.set(cue.id, { before: was, after: cue });
    old.delete(cue.id);
  }
  for (const [id, cue] of old) patch.set(id, { before: cue, after: null });
  return patch;
}

/** Whether more of a cue has changed than that somebody has checked it. */
const isEdited = (cue: Cue, base: Cue): boolean =>
  CONTENT.some((name) => name !== "is_checked" && cue[name] !== base[name]);

/**
 * A cue with the changes of two authors.
 * @returns null if both changed the same field, each in another way, or one has deleted what the other changed
 */
export function mergeCue(base: Cue, mine: Cue, theirs: Cue): Cue | null {
  const [isGoneHere, isGoneThere] = [mine.state === "removed", theirs.state === "removed"];
  if (isGoneHere !== isGoneThere) {
    if (isEdited(isGoneHere ? theirs : mine, base)) return null;
    return removed(theirs);
  }
  const merged: Record<string, unknown> = { ...theirs };
  for (const name of CONTENT) {
    if (mine[name] === base[name] || mine[name] === theirs[name]) continue;
    if (theirs[name] !== base[name] && name !== "is_checked") return null;
    merged[name] = mine[name];
  }
  return merged as Cue;
}

import { merge } from "node-diff3";

/** Lines of a text whose changes are merged; two changes of a longer one are a conflict. */
const MAX_LINES = 5_000;

const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

/**
 * The text with two authors' changes, line by line (diff3).
 * @returns null if both changed the same lines, or the values are no texts
 */
export function mergeText(base: unknown, mine: unknown, theirs: unknown): string | null {
  if (typeof base !== "string" || typeof mine !== "string" || typeof theirs !== "string")
    return null;
  const [old, left, right] = [linesOf(base), linesOf(mine), linesOf(theirs)];
  if (Math.max(old.length, left.length, right.length) > MAX_LINES) return null;
  const { conflict, result } = merge(left, old, right, { excludeFalseConflicts: true });
  return conflict ? null : result.join("");
}

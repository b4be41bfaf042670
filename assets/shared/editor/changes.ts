/** A part of a text that is replaced; `from` and `to` are places in the old text. */
export type Change = { from: number; to: number; insert: string };

/** The smallest single replacement that makes one text of another. It never begins or ends within a character. */
export function difference(old: string, next: string): Change {
  let from = 0;
  const shortest = Math.min(old.length, next.length);
  while (from < shortest && old[from] === next[from]) from++;
  let end = 0;
  while (end < shortest - from && old[old.length - 1 - end] === next[next.length - 1 - end]) end++;
  if (from > 0 && isHighHalf(old.charCodeAt(from - 1))) from--;
  if (end > 0 && isLowHalf(old.charCodeAt(old.length - end))) end--;
  return { from, to: old.length - end, insert: next.slice(from, next.length - end) };
}

const isHighHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLowHalf = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** Where a place of the old text is after the changes; what is inserted at the place itself comes after it. */
export function movePlace(changes: readonly Change[], place: number): number {
  let moved = place;
  for (const { from, to, insert } of changes) {
    if (from >= place) break;
    moved += to <= place ? insert.length - (to - from) : Math.min(0, from + insert.length - place);
  }
  return moved;
}

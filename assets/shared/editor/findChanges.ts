/** What differs between two texts, in as few characters as possible: so a caret elsewhere stays where it is. */
import { diffIndices } from "node-diff3";

import { type Change, difference } from "./changes";

/** Words compared within a changed part; of more, the part is replaced between what its ends share. */
const MAX_WORDS = 1_000;
const MAX_LINES = 2_000;

const linesOf = (text: string): string[] => text.split(/(?<=\n)/);
const wordsOf = (text: string): string[] => text.split(/(?<=\s)|(?=\s)/);

/** The changes that make one text of another, in order and apart from each other. */
export function findChanges(old: string, next: string): Change[] {
  const { from, to, insert } = difference(old, next);
  if (from === to || insert === "")
    return from === to && insert === "" ? [] : [{ from, to, insert }];
  const [left, right] = [old.slice(from, to), insert];
  const lines = compare(linesOf(left), linesOf(right), MAX_LINES);
  if (lines === null) return [{ from, to, insert }];
  return lines.flatMap((part) => {
    const [before, after] = [left.slice(part.from, part.to), part.insert];
    const words = compare(wordsOf(before), wordsOf(after), MAX_WORDS);
    return (words ?? [{ from: 0, to: before.length, insert: after }]).map((one) => {
      const smallest = difference(before.slice(one.from, one.to), one.insert);
      const at = from + part.from + one.from;
      return { ...smallest, from: at + smallest.from, to: at + smallest.to };
    });
  });
}

/** The changed runs of two lists of strings, as places in the first list's text; null: the lists are too long. */
function compare(old: string[], next: string[], most: number): Change[] | null {
  if (Math.max(old.length, next.length) > most) return null;
  const starts = [0];
  for (const one of old) starts.push((starts.at(-1) ?? 0) + one.length);
  return diffIndices(old, next).map(({ buffer1: [at, length], buffer2Content }) => ({
    from: starts[at] ?? 0,
    to: starts[at + length] ?? 0,
    insert: buffer2Content.join(""),
  }));
}

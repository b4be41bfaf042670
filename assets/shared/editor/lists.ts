/** Lists and quotations continue with the Enter key, and end with Enter in an empty item. */
import type { StateCommand } from "@codemirror/state";
import { EditorSelection } from "@codemirror/state";

const ITEM = /^(\s*(?:>\s?)*)(\s*)(?:([-*+])|(\d{1,9})([.)]))\s+/;
const QUOTE = /^\s*(?:>\s?)+/;

/** What the next line begins with, and what of this line is only its mark; null: an ordinary line. */
export function continuationOf(line: string): { prefix: string; isEmpty: boolean } | null {
  const item = ITEM.exec(line);
  if (item) {
    const [mark, quote = "", indent = "", bullet, number, sign] = item;
    const next = bullet ?? `${Number(number) + 1}${sign}`;
    return { prefix: `${quote}${indent}${next} `, isEmpty: line.length === mark.length };
  }
  const quote = QUOTE.exec(line);
  if (!quote) return null;
  const prefix = quote[0].endsWith(" ") ? quote[0] : `${quote[0]} `;
  return { prefix, isEmpty: line.trim() === quote[0].trim() };
}

export const continueList: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  if (!main.empty || state.selection.ranges.length > 1) return false;
  const line = state.doc.lineAt(main.head);
  const found = continuationOf(line.text);
  if (!found || main.head - line.from < found.prefix.trimEnd().length) return false;
  const isEnd = found.isEmpty;
  const from = isEnd ? line.from : main.head;
  const insert = isEnd ? "" : `\n${found.prefix}`;
  dispatch(
    state.update({
      changes: { from, to: isEnd ? line.to : main.head, insert },
      selection: EditorSelection.cursor(from + insert.length),
      scrollIntoView: true,
      userEvent: "input",
    }),
  );
  return true;
};

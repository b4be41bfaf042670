/**
 * Lists and quotations continue with the Enter key, and end with Enter in an empty item. Tab makes an item part of the
 * one before it, Shift and Tab take it out again; where that is not possible, the keys leave the editor as elsewhere.
 */
import { EditorSelection, type EditorState, type Line, type StateCommand } from "@codemirror/state";

const ITEM = /^((?:[ \t]*>[ \t]?)*)([ \t]*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+|$)/;
const QUOTE = /^\s*(?:>\s?)+/;

type Item = {
  quote: string;
  indent: string;
  /** "-", or the number with its sign. */
  mark: string;
  /** Where its text begins, from the beginning of the line. */
  text: number;
};

function itemOf(line: string): Item | null {
  const found = ITEM.exec(line);
  if (!found) return null;
  const [whole, quote = "", indent = "", bullet, number, sign] = found;
  return { quote, indent, mark: bullet ?? `${number}${sign}`, text: whole.length };
}

const isNumbered = ({ mark }: Item): boolean => /^\d/.test(mark);

/** Of the item that follows. */
function nextMark({ mark }: Item): string {
  const number = /^(\d+)(.)$/.exec(mark);
  return number ? `${Number(number[1]) + 1}${number[2]}` : mark;
}

/** What the next line begins with, and what of this line is only its mark; null: an ordinary line. */
export function continuationOf(line: string): { prefix: string; isEmpty: boolean } | null {
  const item = itemOf(line);
  if (item && (item.text === line.length || /\s$/.test(line.slice(0, item.text)))) {
    const { quote, indent, text } = item;
    return {
      prefix: `${quote}${indent}${nextMark(item)} `,
      isEmpty: line.slice(text).trim() === "",
    };
  }
  const quote = QUOTE.exec(line);
  if (!quote) return null;
  const prefix = quote[0].endsWith(" ") ? quote[0] : `${quote[0]} `;
  return { prefix, isEmpty: line.trim() === quote[0].trim() };
}

/** The nearest item above a line that is less indented than `indent`, or as much; null if the list begins between. */
function itemAbove(
  state: EditorState,
  line: Line,
  { quote, indent }: Item,
  isWanted: (indent: number) => boolean,
): Item | null {
  for (let number = line.number - 1; number >= 1; number--) {
    const { text } = state.doc.line(number);
    const item = itemOf(text);
    if (item?.quote.trim() === quote.trim() && isWanted(item.indent.length)) return item;
    if (item && item.indent.length < indent.length) return null;
    // An unindented line that is no item ends the list.
    if (!item && text.trim() !== "" && !/^\s/.test(text) && quote === "") return null;
  }
  return null;
}

/** Replace what stands before the text of an item; a caret before it comes behind it. */
function rewrite(
  state: EditorState,
  line: Line,
  item: Item,
  prefix: string,
): ReturnType<EditorState["update"]> {
  const { head } = state.selection.main;
  const from = line.from + item.text;
  const moved = line.from + prefix.length + Math.max(head - from, 0);
  return state.update({
    changes: { from: line.from, to: from, insert: prefix },
    selection: EditorSelection.cursor(moved),
    scrollIntoView: true,
    userEvent: "input",
  });
}

/** Enter. */
export const continueList: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  if (!main.empty || state.selection.ranges.length > 1) return false;
  const line = state.doc.lineAt(main.head);
  const found = continuationOf(line.text);
  if (!found || main.head - line.from < found.prefix.trimEnd().length) return false;
  if (!found.isEmpty) {
    const insert = `\n${found.prefix}`;
    dispatch(
      state.update({
        changes: { from: main.head, insert },
        selection: EditorSelection.cursor(main.head + insert.length),
        scrollIntoView: true,
        userEvent: "input",
      }),
    );
    return true;
  }
  const item = itemOf(line.text);
  if (item && item.indent !== "" && moveOut({ state, dispatch })) return true;
  // Without an empty line, what follows would still belong to the list or quotation.
  const above = line.number > 1 ? state.doc.line(line.number - 1) : null;
  const outer = item?.quote.trimEnd() ?? "";
  const isFirst = above === null || above.text.trim() === outer;
  const insert = `${isFirst ? "" : `${outer}\n`}${outer === "" ? "" : `${outer} `}`;
  dispatch(
    state.update({
      changes: { from: line.from, to: line.to, insert },
      selection: EditorSelection.cursor(line.from + insert.length),
      scrollIntoView: true,
      userEvent: "input",
    }),
  );
  return true;
};

/** Tab: the item becomes the first or next one of a list within the item before it. */
export const moveIn: StateCommand = ({ state, dispatch }) => {
  const line = state.doc.lineAt(state.selection.main.head);
  const item = itemOf(line.text);
  if (!item) return false;
  const parent = itemAbove(state, line, item, (indent) => indent === item.indent.length);
  if (!parent) return false;
  const indent = " ".repeat(parent.indent.length + parent.mark.length + 1);
  const before = itemAbove(state, line, { ...item, indent }, (found) => found >= indent.length);
  const mark = isNumbered(item)
    ? before && isNumbered(before)
      ? nextMark(before)
      : "1."
    : item.mark;
  dispatch(rewrite(state, line, item, `${item.quote}${indent}${mark} `));
  return true;
};

/** Shift and Tab: the item follows the one whose list it was in. */
export const moveOut: StateCommand = ({ state, dispatch }) => {
  const line = state.doc.lineAt(state.selection.main.head);
  const item = itemOf(line.text);
  if (!item || item.indent === "") return false;
  const parent = itemAbove(state, line, item, (indent) => indent < item.indent.length);
  const prefix = parent ? `${parent.indent}${nextMark(parent)}` : item.mark;
  dispatch(rewrite(state, line, item, `${item.quote}${prefix} `));
  return true;
};

/** Tables: Tab goes from cell to cell, and adds a row after the last one. */
import { EditorSelection, type EditorState, type StateCommand } from "@codemirror/state";

const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** The parts of a row between its bars, as places from the beginning of the line; "\|" is no bar. */
export function cellsOf(line: string): { from: number; to: number }[] {
  const bars = [...line.matchAll(/\\.|\|/g)]
    .filter(([text]) => text === "|")
    .map((one) => one.index);
  return bars.slice(0, -1).map((bar, at) => {
    const end = bars[at + 1] ?? line.length;
    const text = line.slice(bar + 1, end);
    const from = bar + 1 + (text.length - text.trimStart().length || (text === "" ? 0 : 1));
    const to = end - (text.length - text.trimEnd().length);
    return text.trim() === ""
      ? { from: bar + 1 + Math.min(1, text.length), to: bar + 1 + Math.min(1, text.length) }
      : { from, to };
  });
}

/** All cells of the table around a place, and which one has it; null outside tables. */
function tableAround(
  state: EditorState,
  place: number,
): { cells: { from: number; to: number }[]; at: number; columns: number; end: number } | null {
  const line = state.doc.lineAt(place);
  if (!ROW.test(line.text)) return null;
  let first = line.number;
  let last = line.number;
  while (first > 1 && ROW.test(state.doc.line(first - 1).text)) first--;
  while (last < state.doc.lines && ROW.test(state.doc.line(last + 1).text)) last++;
  if (first === last || !RULE.test(state.doc.line(first + 1).text)) return null;
  const cells: { from: number; to: number }[] = [];
  for (let number = first; number <= last; number++) {
    if (number === first + 1) continue;
    const row = state.doc.line(number);
    cells.push(
      ...cellsOf(row.text).map(({ from, to }) => ({ from: row.from + from, to: row.from + to })),
    );
  }
  const columns = cellsOf(state.doc.line(first).text).length;
  const at = cells.findLastIndex(({ from }) => from <= place);
  return { cells, at: Math.max(at, 0), columns, end: state.doc.line(last).to };
}

/** Go to the next (1) or previous (-1) cell. Outside tables the key keeps its meaning: Tab leaves the editor. */
export const moveToCell =
  (step: 1 | -1): StateCommand =>
  ({ state, dispatch }) => {
    const table = tableAround(state, state.selection.main.head);
    if (!table) return false;
    const next = table.cells[table.at + step];
    if (next) {
      dispatch(
        state.update({
          selection: EditorSelection.range(next.from, next.to),
          scrollIntoView: true,
        }),
      );
      return true;
    }
    if (step === -1) return false;
    const row = `\n| ${Array.from({ length: table.columns }, () => "   ").join(" | ")} |`;
    dispatch(
      state.update({
        changes: { from: table.end, insert: row },
        selection: EditorSelection.cursor(table.end + 3),
        scrollIntoView: true,
        userEvent: "input",
      }),
    );
    return true;
  };

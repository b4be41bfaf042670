/**
 * Tables: Tab and Enter go from cell to cell and add rows, and a menu adds, removes and aligns rows and columns. Only the
 * lines concerned change, so a table that was lined up by hand stays as it is elsewhere.
 */
import { syntaxTree } from "@codemirror/language";
import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type StateCommand,
  type TransactionSpec,
} from "@codemirror/state";

import type { TableAction } from "./tableActions";

type Part = { from: number; to: number };
type Row = { from: number; to: number; prefix: string; cells: Part[] };
type Table = { rows: Row[]; rule: Row; row: number; column: number };

/** What stands before a row: spaces, and the marks of quotations. */
const PREFIX = /^(?:[ \t]*>)*[ \t]*/;
const EMPTY = "   ";

/** The parts of a row between its bars, as places from the beginning of the line; "\|" is no bar. */
export function partsOf(line: string): Part[] {
  const start = PREFIX.exec(line)?.[0].length ?? 0;
  const end = line.trimEnd().length;
  const bars = [...line.matchAll(/\\.|\|/g)]
    .filter((one) => one[0] === "|" && one.index >= start)
    .map((one) => one.index);
  const isOpen = bars[0] === start; // an outer bar
  const isClosed = bars.length > 1 && bars.at(-1) === end - 1;
  const edges = [...(isOpen ? [] : [start - 1]), ...bars, ...(isClosed ? [] : [end])];
  return edges.slice(0, -1).map((edge, at) => ({ from: edge + 1, to: edges[at + 1] ?? end }));
}

/** A part without the spaces around its text; an empty one is a place behind its first space. */
export function cellsOf(line: string): Part[] {
  return partsOf(line).map(({ from, to }) => {
    const text = line.slice(from, to);
    if (text.trim() === "") {
      const place = Math.min(from + 1, to);
      return { from: place, to: place };
    }
    return {
      from: from + text.length - text.trimStart().length,
      to: to - (text.length - text.trimEnd().length),
    };
  });
}

function rowAt(state: EditorState, place: number): Row {
  const { from, to, text } = state.doc.lineAt(place);
  const cells = cellsOf(text).map((one) => ({ from: from + one.from, to: from + one.to }));
  return { from, to, prefix: PREFIX.exec(text)?.[0] ?? "", cells };
}

/** The table around the caret, with the cell that has it; null outside tables. */
export function tableAround(state: EditorState): Table | null {
  const { head } = state.selection.main;
  let node = syntaxTree(state).resolveInner(head, -1);
  while (node.name !== "Table" && node.parent) node = node.parent;
  if (node.name !== "Table") {
    node = syntaxTree(state).resolveInner(head, 1);
    while (node.name !== "Table" && node.parent) node = node.parent;
  }
  if (node.name !== "Table") return null;
  const rows: Row[] = [];
  const last = state.doc.lineAt(node.to).number;
  for (let number = state.doc.lineAt(node.from).number; number <= last; number++)
    rows.push(rowAt(state, state.doc.line(number).from));
  const [rule] = rows.splice(1, 1);
  if (!rule || rows.length === 0) return null;
  const found = rows.findIndex(({ from, to }) => from <= head && head <= to);
  const row = Math.max(found, 0);
  const column = rows[row]?.cells.findLastIndex(({ from }) => from <= head) ?? 0;
  return { rows, rule, row, column: found < 0 ? 0 : Math.max(column, 0) };
}

const isEmptyRow = ({ cells }: Row): boolean => cells.every(({ from, to }) => from === to);

const emptyRow = ({ prefix, cells }: Row): string =>
  `${prefix}|${cells.map(() => EMPTY).join("|")}|`;

/** Where a column of a row that `emptyRow` has written begins, from the beginning of its line. */
const placeIn = ({ prefix }: Row, column: number): number =>
  prefix.length + 2 + column * (EMPTY.length + 1);

function addRow(rows: Row, at: number, isBelow: boolean, column: number): TransactionSpec {
  const text = emptyRow(rows);
  const place = isBelow ? at + 1 : at;
  return {
    changes: { from: at, insert: isBelow ? `\n${text}` : `${text}\n` },
    selection: EditorSelection.cursor(place + placeIn(rows, column)),
  };
}

function addColumn(state: EditorState, table: Table, at: number, isAfter: boolean): ChangeSpec[] {
  return [...table.rows, table.rule].map((row) => {
    const line = state.doc.lineAt(row.from);
    const text = row === table.rule ? " --- " : EMPTY;
    const part = partsOf(line.text)[at];
    if (!part) return { from: line.to, insert: "" };
    if (!isAfter) return { from: line.from + part.from, insert: `${text}|` };
    const isLast = line.text[part.to] !== "|"; // no outer bar
    return { from: line.from + part.to, insert: isLast ? ` |${text}|` : `|${text}` };
  });
}

function removeColumn(state: EditorState, table: Table, at: number): ChangeSpec[] {
  return [...table.rows, table.rule].flatMap((row) => {
    const line = state.doc.lineAt(row.from);
    const part = partsOf(line.text)[at];
    if (!part) return [];
    const hasBar = line.text[part.to] === "|";
    const from = hasBar ? part.from : Math.max(part.from - 1, 0);
    return [{ from: line.from + from, to: line.from + part.to + (hasBar ? 1 : 0) }];
  });
}

const rules: Partial<Record<TableAction, string>> = {
  "align-left": " :-- ",
  "align-center": " :-: ",
  "align-right": " --: ",
};

function removeTable(state: EditorState, { rows, rule }: Table): TransactionSpec {
  const from = rows[0]?.from ?? rule.from;
  const to = (rows.length > 1 ? rows.at(-1) : rule)?.to ?? rule.to;
  return {
    changes: { from, to: Math.min(to + 1, state.doc.length) },
    selection: EditorSelection.cursor(from),
  };
}

/** The change that an action makes to the table around the caret; null: nothing to do. */
export function changeTable(state: EditorState, action: TableAction): TransactionSpec | null {
  const table = tableAround(state);
  const row = table?.rows[table.row];
  if (!table || !row) return null;
  const { column } = table;
  const isHead = table.row === 0;
  const select = (changes: ChangeSpec[], to: number): TransactionSpec => ({
    changes,
    selection: EditorSelection.cursor(state.changes(changes).mapPos(to, 1)),
  });
  switch (action) {
    case "row-above":
      return isHead ? null : addRow(row, row.from, false, column);
    case "row-below":
      return addRow(row, isHead ? table.rule.to : row.to, true, column);
    case "remove-row": {
      if (isHead) return null;
      const next = table.rows[table.row - 1]?.cells[column];
      return {
        changes: { from: row.from - 1, to: row.to },
        selection: EditorSelection.cursor(next?.from ?? row.from - 1),
      };
    }
    case "column-before":
    case "column-after": {
      const changes = addColumn(state, table, column, action === "column-after");
      const part = row.cells[column];
      const at = part?.from ?? row.from;
      const moved = state.changes(changes);
      if (action === "column-after") {
        const line = state.doc.lineAt(row.from);
        const end = line.from + (partsOf(line.text)[column]?.to ?? 0);
        const isLast = line.text[end - line.from] !== "|";
        return {
          changes,
          selection: EditorSelection.cursor(moved.mapPos(end, -1) + (isLast ? 3 : 2)),
        };
      }
      return { changes, selection: EditorSelection.cursor(moved.mapPos(at, 1) - EMPTY.length - 1) };
    }
    case "remove-column":
      if (row.cells.length <= 1) return removeTable(state, table);
      return select(
        removeColumn(state, table, column),
        row.cells[Math.max(column - 1, 0)]?.from ?? 0,
      );
    case "remove-table":
      return removeTable(state, table);
    default: {
      const line = state.doc.lineAt(table.rule.from);
      const part = partsOf(line.text)[column];
      const insert = rules[action];
      if (!part || insert === undefined) return null;
      return { changes: { from: line.from + part.from, to: line.from + part.to, insert } };
    }
  }
}

/** Go to the next (1) or previous (-1) cell. Outside tables the key keeps its meaning: Tab leaves the editor. */
export const moveToCell =
  (step: 1 | -1): StateCommand =>
  ({ state, dispatch }) => {
    const table = tableAround(state);
    if (!table) return false;
    const cells = table.rows.flatMap((row) => row.cells);
    const before = table.rows.slice(0, table.row).flatMap((row) => row.cells).length;
    const next = cells[before + table.column + step];
    if (next) {
      dispatch(
        state.update({
          selection: EditorSelection.range(next.from, next.to),
          scrollIntoView: true,
        }),
      );
      return true;
    }
    const last = table.rows.at(-1);
    if (step === -1 || !last) return false;
    const end = table.rows.length > 1 ? last.to : table.rule.to;
    dispatch(
      state.update({ ...addRow(last, end, true, 0), scrollIntoView: true, userEvent: "input" }),
    );
    return true;
  };

/** Enter within a cell: to the cell below, in a new row after the last; in an empty last row, out of the table. */
export const moveDown: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const table = tableAround(state);
  const row = table?.rows[table.row];
  const line = state.doc.lineAt(main.head);
  const isBehind = main.head >= line.from + line.text.trimEnd().length;
  // Behind a row that is typed by hand, and in the line of dashes, a line is a line.
  if (!main.empty || !table || !row || main.head < row.from || main.head > row.to || isBehind)
    return false;
  const isLast = table.row === table.rows.length - 1;
  const next =
    table.rows[table.row + 1]?.cells[table.column] ?? table.rows[table.row + 1]?.cells[0];
  let change: TransactionSpec | null;
  if (next) change = { selection: EditorSelection.range(next.from, next.to) };
  else if (isLast && table.row > 0 && isEmptyRow(row)) {
    const hasGap = state.sliceDoc(row.to, row.to + 2) === "\n\n";
    change = {
      changes: { from: row.from, to: row.to, insert: hasGap ? "" : "\n" },
      selection: EditorSelection.cursor(row.from + 1),
    };
  } else change = addRow(row, table.row === 0 ? table.rule.to : row.to, true, table.column);
  dispatch(state.update({ ...change, scrollIntoView: true, userEvent: "input" }));
  return true;
};

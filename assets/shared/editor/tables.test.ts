import { EditorState, type StateCommand } from "@codemirror/state";
import { expect, it } from "vitest";

import { contentLanguage } from "./markdownLanguage";
import type { TableAction } from "./tableActions";
import { cellsOf, changeTable, moveDown, moveToCell } from "./tables";

/** A state whose caret is where the text has "^". */
function stateOf(marked: string): EditorState {
  const anchor = marked.indexOf("^");
  return EditorState.create({
    doc: marked.replace("^", ""),
    selection: { anchor },
    extensions: [contentLanguage],
  });
}

const marked = (state: EditorState): string => {
  const { head } = state.selection.main;
  return `${state.sliceDoc(0, head)}^${state.sliceDoc(head)}`;
};

function run(command: StateCommand, text: string): string | null {
  let state = stateOf(text);
  const isDone = command({ state, dispatch: (transaction) => (state = transaction.state) });
  return isDone ? marked(state) : null;
}

function change(action: TableAction, text: string): string | null {
  const state = stateOf(text);
  const spec = changeTable(state, action);
  return spec && marked(state.update(spec).state);
}

it("finds the cells of a row", () => {
  const row = "| one | two \\| half |   |";
  expect(cellsOf(row).map(({ from, to }) => row.slice(from, to))).toEqual([
    "one",
    "two \\| half",
    "",
  ]);
  expect(cellsOf("one | two")).toHaveLength(2);
  expect(cellsOf("> | one | two |")).toHaveLength(2);
});

const TABLE = "| A | B |\n| --- | --- |\n| a^ | b |";

it.each<[TableAction, string | null]>([
  ["row-above", "| A | B |\n| --- | --- |\n| ^  |   |\n| a | b |"],
  ["row-below", "| A | B |\n| --- | --- |\n| a | b |\n| ^  |   |"],
  ["column-before", "|   | A | B |\n| --- | --- | --- |\n| ^  | a | b |"],
  ["column-after", "| A |   | B |\n| --- | --- | --- |\n| a | ^  | b |"],
  ["align-center", "| A | B |\n| :-: | --- |\n| a^ | b |"],
  ["remove-row", "| ^A | B |\n| --- | --- |"],
  ["remove-column", "| B |\n| --- |\n|^ b |"],
  ["remove-table", "^"],
])("does %s", (action, expected) => {
  expect(change(action, TABLE)).toBe(expected);
});

it("keeps a head, and works without outer bars and within quotations", () => {
  expect(change("remove-row", "| A^ |\n| --- |\n| a |")).toBeNull();
  expect(change("column-after", "A | B\n--- | ---\na | b^")).toBe(
    "A | B |   |\n--- | --- | --- |\na | b | ^  |",
  );
  expect(change("row-below", "> | A |\n> | --- |\n> | a^ |")).toBe(
    "> | A |\n> | --- |\n> | a |\n> | ^  |",
  );
  expect(change("row-below", "no table^")).toBeNull();
});

it("goes from cell to cell by Tab, and adds a row after the last", () => {
  expect(run(moveToCell(1), TABLE)).toBe("| A | B |\n| --- | --- |\n| a | b^ |");
  expect(run(moveToCell(1), "| A | B |\n| --- | --- |\n| a | b^ |")).toBe(
    "| A | B |\n| --- | --- |\n| a | b |\n| ^  |   |",
  );
  expect(run(moveToCell(-1), "| A^ |\n| --- |\n| a |")).toBeNull();
  expect(run(moveToCell(1), "no table^")).toBeNull();
});

it("goes down by Enter, and out of the table from an empty last row", () => {
  expect(run(moveDown, "| A^ |\n| --- |\n| a |")).toBe("| A |\n| --- |\n| a^ |");
  expect(run(moveDown, "| A |\n| --- |\n| a^ |")).toBe("| A |\n| --- |\n| a |\n| ^  |");
  expect(run(moveDown, "| A |\n| --- |\n| a |\n| ^  |")).toBe("| A |\n| --- |\n| a |\n\n^");
  expect(run(moveDown, "| A |\n| --- |\n| a |^")).toBeNull(); // a row that is typed by hand
});

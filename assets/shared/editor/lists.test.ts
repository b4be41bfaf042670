import { expect, it } from "vitest";

import { EditorState, type StateCommand } from "@codemirror/state";
import { continuationOf, continueList, moveIn, moveOut } from "./lists";

it.each([
  ["- one", "- ", false],
  ["* one", "* ", false],
  ["9. nine", "10. ", false],
  ["2) two", "3) ", false],
  ["  - nested", "  - ", false],
  ["> said", "> ", false],
  ["> - said", "> - ", false],
  ["- ", "- ", true],
  ["> ", "> ", true],
])("continues %j with %j", (line, prefix, isEmpty) => {
  expect(continuationOf(line)).toEqual({ prefix, isEmpty });
});

it("leaves other lines alone", () => {
  for (const line of ["", "text", "-no item", "1.5 m", "#heading", "---"])
    expect(continuationOf(line)).toBeNull();
});

/** Run a command on a text whose caret is at "^"; null: it left the key alone. */
function run(command: StateCommand, marked: string): string | null {
  const anchor = marked.indexOf("^");
  let state = EditorState.create({ doc: marked.replace("^", ""), selection: { anchor } });
  const isDone = command({ state, dispatch: (transaction) => (state = transaction.state) });
  const { head } = state.selection.main;
  return isDone ? `${state.sliceDoc(0, head)}^${state.sliceDoc(head)}` : null;
}

it.each([
  ["- one^", "- one\n- ^"],
  ["- one\n- ^", "- one\n\n^"],
  ["- one\n  - ^", "- one\n- ^"],
  ["1. one\n   - two\n   - ^", "1. one\n   - two\n2. ^"],
  ["> one\n> ^", "> one\n\n^"],
  ["> - one\n> - ^", "> - one\n>\n> ^"],
  ["- ^", "^"],
  ["text^", null],
])("does Enter in %j", (text, expected) => {
  expect(run(continueList, text)).toBe(expected);
});

it.each([
  ["- one\n- t^wo", "- one\n  - t^wo"],
  ["1. one\n2. ^", "1. one\n   1. ^"],
  ["1. one\n   1. two\n2. three^", "1. one\n   1. two\n   2. three^"],
  ["- one\n  - two\n  - three^", "- one\n  - two\n    - three^"],
  ["- on^e", null],
  ["- one\n  - tw^o", null],
  ["- one\n\ntext\n\n- tw^o", null],
  ["text^", null],
])("does Tab in %j", (text, expected) => {
  expect(run(moveIn, text)).toBe(expected);
});

it.each([
  ["- one\n  - t^wo", "- one\n- t^wo"],
  ["1. one\n   - two^", "1. one\n2. two^"],
  ["- on^e", null],
])("does Shift and Tab in %j", (text, expected) => {
  expect(run(moveOut, text)).toBe(expected);
});

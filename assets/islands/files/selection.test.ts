import { expect, it } from "vitest";

import { all, extended, kept, type Layout, moved, nothing, only, toggled } from "./selection";

const order = ["a", "b", "c", "d", "e"];
const uids = (selection: { uids: ReadonlySet<string> }): string => [...selection.uids].join("");

it("selects and deselects one entry", () => {
  const one = toggled(nothing, "b");
  expect(uids(one)).toBe("b");
  expect(uids(toggled(one, "b"))).toBe("");
});

it("extends a selection from the last selected entry, in both directions", () => {
  const from = toggled(only("a"), "d");
  expect(uids(extended(from, "b", order))).toBe("adbc");
  expect(uids(extended(from, "e", order))).toBe("ade");
});

it("extends from the first entry when nothing is selected", () => {
  expect(uids(extended(nothing, "c", order))).toBe("abc");
});

it("forgets entries that are no longer listed, and keeps the object otherwise", () => {
  const selection = all(order);
  expect(kept(selection, order)).toBe(selection);
  expect(uids(kept(selection, ["b", "x"]))).toBe("b");
  expect(kept(selection, ["b"]).anchor).toBeNull();
});

// 5 folders in rows of 3, then 7 files in rows of 4:
// 0 1 2 / 3 4 / 5 6 7 8 / 9 10 11
const layout: Layout = { folders: 5, files: 7, folderColumns: 3, fileColumns: 4 };

it.each([
  ["ArrowDown", 1, 4],
  ["ArrowDown", 2, 4], // the last row is shorter
  ["ArrowDown", 3, 5],
  ["ArrowDown", 4, 6],
  ["ArrowDown", 8, 11],
  ["ArrowDown", 10, 10],
  ["ArrowUp", 9, 5],
  ["ArrowUp", 5, 3],
  ["ArrowUp", 8, 4],
  ["ArrowUp", 1, 1],
  ["ArrowLeft", 5, 4],
  ["ArrowRight", 4, 5],
  ["ArrowRight", 11, 11],
  ["Home", 8, 0],
  ["End", 1, 11],
])("moves the focus by %s from %i to %i", (key, from, to) => {
  expect(moved(key, from, layout)).toBe(to);
});

it("leaves the arrows to the sides alone in a list, and other keys everywhere", () => {
  const list = { ...layout, folders: 0, fileColumns: 1 };
  expect(moved("ArrowRight", 2, list)).toBeNull();
  expect(moved("ArrowDown", 2, list)).toBe(3);
  expect(moved("x", 2, layout)).toBeNull();
});

import { expect, it } from "vitest";

import type { Note } from "../../shared/notes/lessonNotes";
import {
  currentKey,
  filtered,
  inOrder,
  noteItems,
  questionItems,
  readChapters,
  readTranscript,
} from "./items";

const note = (uid: string, kind: "note" | "moment", second: number | null, text: string): Note =>
  ({
    uid,
    kind,
    second,
    content: { edits: [{ key: uid, revision: 1, at: 1, text, is_deleted: false }], replaced: [] },
  }) as unknown as Note;

document.body.innerHTML = `
  <div data-island="player"></div>
  <script type="application/json">{"chapters": [{"start": 0, "title": "Grid"}, {"start": 60, "title": "Slant"}]}</script>
  <ol data-transcript>
    <li><p><span data-from="0" data-to="2">Take the grid.</span> <span data-from="2" data-to="5">Hold the floor.</span></p></li>
    <li><p></p></li>
    <li><p><span data-from="60" data-to="63">Straße &amp; slant</span></p></li>
  </ol>`;
const all = inOrder([
  ...readTranscript(document),
  ...readChapters(document),
  ...questionItems([[61, "Why does it stay?", "/forum/topics/1", 2]]),
  ...noteItems([
    note("n", "note", 61, "The floor stays"),
    note("m", "moment", 60, ""),
    note("w", "note", null, "About all of it"),
  ]),
]);
const keys = (items: readonly { key: string }[]): string[] => items.map(({ key }) => key);

it("puts everything in the order of the video, the whole lesson first", () => {
  expect(keys(all)).toEqual([
    "w",
    "chapter 0",
    "transcript 0",
    "chapter 60",
    "transcript 2",
    "m",
    "n",
    "question /forum/topics/1",
  ]);
});

it("shows one kind, and what contains each word of the search", () => {
  expect(keys(filtered(all, "chapter", ""))).toEqual(["chapter 0", "chapter 60"]);
  expect(keys(filtered(all, "all", "  FLOOR the "))).toEqual(["transcript 0", "n"]);
  expect(keys(filtered(all, "note", "floor"))).toEqual(["n"]);
  expect(keys(filtered(all, "all", "straße"))).toEqual(["transcript 2"]);
  expect(filtered(all, "moment", "floor")).toEqual([]);
});

it("finds what is said at a second", () => {
  expect(currentKey(all, 3)).toBe("transcript 0");
  expect(currentKey(all, 60.5)).toBe("m");
  expect(currentKey([], 3)).toBeNull();
  expect(currentKey(noteItems([note("w", "note", null, "")]), 3)).toBeNull();
});

it("reads nothing where the page has neither a player nor a transcript", () => {
  const empty = document.createElement("div");
  expect(readChapters(empty)).toEqual([]);
  expect(readTranscript(empty)).toEqual([]);
});

import { afterEach, expect, it, vi } from "vitest";

import { insertBlock } from "./editing";
import { createLiveSurface, difference, type LiveSurface } from "./liveSurface";
import { cellsOf } from "./tables";

let surface: LiveSurface | undefined;
afterEach(() => {
  surface?.destroy();
  surface = undefined;
  document.body.innerHTML = "";
});

function open(text: string): { field: HTMLTextAreaElement; live: LiveSurface } {
  document.body.innerHTML =
    '<label for="body">Text</label><textarea id="body" required></textarea>';
  const field = document.querySelector("textarea")!;
  field.value = text;
  const live = createLiveSurface(field, {
    nonce: "",
    editPicture: vi.fn(),
    isOwnPicture: () => true,
    renderPiece: () => Promise.reject(new Error("offline")),
  });
  surface = live;
  return { field, live };
}

it("keeps the textarea in step, and tells those who listen", () => {
  const { field, live } = open("one");
  const heard: string[] = [];
  field.addEventListener("input", () => heard.push(field.value));
  live.apply({ from: 3, to: 3, insert: " two", start: 7, end: 7 });

  expect(field.value).toBe("one two");
  expect(heard).toEqual(["one two"]);
  expect(live.read()).toEqual({ text: "one two", start: 7, end: 7 });
});

it("takes over what a script wrote into the textarea, and keeps the caret", () => {
  const { field, live } = open("one two");
  live.view.dispatch({ selection: { anchor: 7 } });
  field.value = "ONE! two";
  field.dispatchEvent(new Event("input"));

  expect(live.read()).toEqual({ text: "ONE! two", start: 8, end: 8 });
});

it("carries the name and the description of its field", () => {
  const { field, live } = open("");
  expect(live.element.getAttribute("aria-labelledby")).toBe(field.labels[0]!.id);
  expect(live.element.getAttribute("aria-required")).toBe("true");
  expect(field.hidden).toBe(true);
  live.destroy();
  surface = undefined;
  expect(field.hidden).toBe(false);
});

it("replaces a placeholder without moving what the user writes", () => {
  const { live } = open("![Uploading 1…]() and typed");
  live.view.dispatch({ selection: { anchor: 27 } });
  live.replace(0, 17, "![](/course-files/7)");
  expect(live.read()).toEqual({ text: "![](/course-files/7) and typed", start: 30, end: 30 });
});

it.each([
  ["", "abc"],
  ["abc", ""],
  ["abcabc", "abc"],
  ["a😀b", "a😁b"],
  ["😀😀", "😀"],
])("finds the smallest change from %j to %j", (old, next) => {
  const { from, to, insert } = difference(old, next);
  expect(old.slice(0, from) + insert + old.slice(to)).toBe(next);
  expect(insert).toBe(new TextDecoder().decode(new TextEncoder().encode(insert))); // no half character
});

it("puts blocks on lines of their own", () => {
  const at = { text: "before after", start: 7, end: 7 };
  const { from, to, insert } = insertBlock(at, "---");
  expect(at.text.slice(0, from) + insert + at.text.slice(to)).toBe("before \n\n---\n\nafter");
});

it("finds the cells of a row", () => {
  const row = "| one | two \\| half |   |";
  expect(cellsOf(row).map(({ from, to }) => row.slice(from, to))).toEqual([
    "one",
    "two \\| half",
    "",
  ]);
});

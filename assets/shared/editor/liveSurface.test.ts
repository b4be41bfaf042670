import { redo, undo } from "@codemirror/commands";
import { afterEach, expect, it, vi } from "vitest";

import { selectLine } from "../openLine";
import { insertBlock } from "./editing";
import { findChanges } from "./findChanges";
import { difference, movePlace } from "./changes";
import { placePicture } from "./placing";
import { createLiveSurface, type LiveSurface } from "./liveSurface";

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
    describePicture: () => Promise.resolve(null),
    isPhrasing: false,
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
  expect(field.tabIndex).toBe(-1);
  field.focus(); // by its label, a link to it, or the browser
  expect(document.activeElement).toBe(live.element);
  live.destroy();
  surface = undefined;
  expect(field.tabIndex).toBe(0);
  expect(field.getAttribute("aria-hidden")).toBeNull();
});

it("goes to a line that a link leads to, and keeps what was written", () => {
  const { field, live } = open("one\ntwo\nthree");
  live.apply({ from: 0, to: 0, insert: "zero\n", start: 5, end: 5 });
  selectLine(field, 3);

  expect(live.read()).toEqual({ text: "zero\none\ntwo\nthree", start: 9, end: 12 });
  expect(document.activeElement).toBe(live.element);
});

it("takes over another's changes around the caret, and undoes only what was written here", () => {
  const { field, live } = open("First line\n\nmine\n\nLast line");
  live.apply({ from: 16, to: 16, insert: "!", start: 17, end: 17 });
  live.update("The first line\n\nmine!\n\nNew\n\nThe last line");

  expect(live.read()).toEqual({ text: field.value, start: 21, end: 21 });
  undo(live.view);
  expect(field.value).toBe("The first line\n\nmine\n\nNew\n\nThe last line");
  redo(live.view);
  expect(field.value).toBe("The first line\n\nmine!\n\nNew\n\nThe last line");
});

it("can be changed only while its field can", async () => {
  const { field, live } = open("text");
  field.disabled = true;
  await vi.waitFor(() => expect(live.view.state.readOnly).toBe(true));
  field.disabled = false;
  await vi.waitFor(() => expect(live.view.state.readOnly).toBe(false));
});

it.each([
  ["one two three", "one 2 three four"],
  ["a\nb\nc\nd", "a\nB\nc\nD\ne"],
  ["x\n".repeat(3000), "y\n".repeat(3000)],
  ["😀 a 😁", "😁 a 😀"],
  ["", "new"],
  ["same", "same"],
])("finds the changes from %j to %j", (old, next) => {
  const changes = findChanges(old, next);
  const made = changes.reduceRight(
    (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to),
    old,
  );
  expect(made).toBe(next);
  // The place before a character that stays is the place before the same character.
  for (let place = 0; place < old.length; place++)
    if (changes.every(({ from, to }) => place < from || (place > from && place >= to)))
      expect(next[movePlace(changes, place)]).toBe(old[place]);
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

it("holds a place for a picture, which moves with the text and leaves no trace", () => {
  const { field, live } = open("before after");
  const hold = live.hold("Uploading", 7);
  live.apply({ from: 0, to: 0, insert: "Well, ", start: 6, end: 6 });
  expect(field.value).toBe("Well, before after");
  hold.fill("![](/course-files/7)", true);
  expect(field.value).toBe("Well, before ![](/course-files/7)after");
  expect(live.read().start).toBe(6);
  undo(live.view);
  expect(field.value).toBe("Well, before after");

  const other = live.hold("Uploading");
  other.release();
  expect(field.value).toBe("Well, before after");
  expect(live.view.dom.querySelector(".ed-upload")).toBeNull();
});

it.each([
  ["^", "![]()\n\n"],
  ["one^", "one\n\n![]()\n\n"],
  ["one\n^\ntwo", "one\n\n![]()\n\ntwo"],
  ["one\n\n^\n\ntwo", "one\n\n![]()\n\ntwo"],
  ["on^e", "on ![]()e"],
  ["- one^", "- one ![]()"],
  ["| one^ | two |", "| one ![]() | two |"],
])("places a picture in %j", (marked, expected) => {
  const at = marked.indexOf("^");
  const text = marked.replace("^", "");
  expect(text.slice(0, at) + placePicture(text, at, "![]()") + text.slice(at)).toBe(expected);
});

it("lets the textarea follow a long text in pauses, and before the form is sent", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { field, live } = open("x".repeat(30_000));
  const heard = vi.fn();
  field.addEventListener("input", heard);
  for (let at = 0; at < 5; at++) live.replace(0, 0, "a");
  expect(heard).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(heard).toHaveBeenCalledOnce();
  expect(field.value.startsWith("aaaaax")).toBe(true);

  live.replace(0, 0, "b");
  document.body.dispatchEvent(new Event("submit", { bubbles: true }));
  expect(field.value.startsWith("baaaaax")).toBe(true);
  vi.useRealTimers();
});

import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { notesOf } from "../../shared/notes/ofLesson";
import { makeError } from "../../shared/api/errors";
import { Island } from "./index";

vi.mock("../../shared/notes/noteApi", async () => {
  const { StoredNotes } = await import("../../shared/notes/stored");
  return {
    fetchNotes: () => Promise.resolve([]),
    saveNote: () => Promise.reject(makeError("NETWORK_OFFLINE")),
    isTemporary: () => true,
    storedNotes: new StoredNotes(() => localStorage, "amara"),
  };
});

let number = 0;
let lesson = "";
const closed = vi.fn();

beforeEach(() => {
  number += 1;
  lesson = `lesson-${number}`; // the notes of a lesson are kept for the page
  localStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  document.body.innerHTML = `
    <ol data-transcript><li><p><span data-from="3" data-to="5">Hold the floor.</span></p></li></ol>
    <section id="discussion"></section>
    <section data-timeline data-position="42"></section>`;
  document.addEventListener("click", closed);
});
afterEach(() => {
  document.removeEventListener("click", closed);
  vi.unstubAllGlobals();
});

const show = async (props = {}): Promise<void> => {
  const place = document.querySelector<HTMLElement>("[data-timeline]")!;
  render(
    <Island
      lesson={lesson}
      has_video
      may_write
      notebook="/notes"
      questions={[[7, "Why?", "/forum/topics/1", 2]]}
      {...props}
    />,
    { container: place },
  );
  await act(async () => {
    await Promise.resolve();
  });
};
const rows = (): (string | null)[] => {
  const place = document.querySelector<HTMLElement>("[data-timeline]")!;
  return within(place)
    .getAllByRole("listitem")
    .map((row) => row.textContent);
};

it("shows transcript and questions, and a note from its first letter on", async () => {
  await show();
  const field = screen.getByRole("textbox");
  fireEvent.change(field, { target: { value: "Area" } });
  expect(notesOf(lesson).state.notes).toHaveLength(1);
  expect(notesOf(lesson).state.notes[0]?.second).toBe(42);
  fireEvent.keyDown(field, { key: "Enter", ctrlKey: true });

  expect((field as HTMLTextAreaElement).value).toBe("");
  expect(document.activeElement).toBe(field);
  const texts = rows();
  expect(texts).toHaveLength(3);
  expect(texts[0]).toContain("Hold the floor.");
  expect(texts[1]).toContain("Why?");
  expect(texts[2]).toContain("Area");
});

it("shows one kind at a time, and finds words", async () => {
  await show();
  const filters = within(screen.getByRole("group", { name: "Show" }));
  fireEvent.click(filters.getByRole("button", { name: "Questions 1" }));
  expect(rows()).toHaveLength(1);
  fireEvent.click(filters.getByRole("button", { name: "Moments 0" }));
  expect(screen.getByText("Press B while you watch to mark a moment.")).toBeDefined();
  fireEvent.click(filters.getByRole("button", { name: "All" }));
  fireEvent.change(screen.getByRole("searchbox"), { target: { value: "floor" } });
  expect(rows()).toHaveLength(1);
});

it("asks at the second of the note", async () => {
  const asked = vi.fn();
  const discussion = document.getElementById("discussion")!;
  discussion.scrollIntoView = vi.fn();
  discussion.addEventListener("study:ask", asked);
  await show();
  fireEvent.click(screen.getByRole("button", { name: "Ask" }));

  expect(discussion.dataset.askAt).toBe("42");
  expect(asked).toHaveBeenCalledOnce();
});

it("offers no question where there is no discussion, and no notes to visitors", async () => {
  document.getElementById("discussion")?.remove();
  await show();
  expect(screen.queryByRole("button", { name: "Ask" })).toBeNull();
  document.body.innerHTML = "<section data-timeline></section>";
  await show({ may_write: false });
  expect(screen.queryByRole("textbox")).toBeNull();
});

it("keeps the focus in the sheet, and Escape closes it from anywhere", async () => {
  const rects = vi
    .spyOn(Element.prototype, "getClientRects")
    .mockReturnValue([{}] as unknown as DOMRectList);
  const place = document.querySelector<HTMLElement>("[data-timeline]")!;
  place.style.position = "fixed";
  await show();
  const buttons = within(place).getAllByRole("button");
  const close = screen.getByRole("button", { name: "Close" });
  const toggle = screen.getByRole("switch");
  const first = buttons[0]!;
  toggle.focus(); // the last control: "Add note" is disabled
  fireEvent.keyDown(toggle, { key: "Tab" });
  expect(document.activeElement).toBe(first);
  fireEvent.keyDown(first, { key: "Tab", shiftKey: true });
  expect(document.activeElement).toBe(toggle);

  const pressed = vi.fn();
  close.addEventListener("click", pressed);
  toggle.blur();
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(pressed).toHaveBeenCalledOnce();
  rects.mockRestore();
});

it("adds a question that was asked below since the page was opened, once", async () => {
  await show();
  const list = document.createElement("ul");
  list.dataset.questions = JSON.stringify([
    [7, "Why?", "/forum/topics/1", 3],
    [20, "How?", "/forum/topics/2", 0],
  ]);
  document.querySelector("#discussion")?.append(list);
  act(() => {
    document.dispatchEvent(new Event("study:marks"));
  });

  expect(rows().filter((text) => text?.includes("Why?"))).toHaveLength(1);
  expect(rows().filter((text) => text?.includes("How?"))).toHaveLength(1);
});

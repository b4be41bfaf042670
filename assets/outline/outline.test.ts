import { beforeEach, expect, it, vi } from "vitest";

import { errorOfResponse } from "../shared/api/errors";
import { startDragging } from "./drag";
import { createMover } from "./moves";
import type { Changed, Outline, OutlineCalls } from "./outlineCalls";
import { createSelection } from "./selection";

const arrows = (number: string): string =>
  ["up", "down"]
    .map((to) => `<button data-move="${to}" aria-label="Move ${number} ${to}"></button>`)
    .join("");
const lesson = (uid: string, number: string): string =>
  `<li data-lesson="${uid}"><span data-grip></span><input type="checkbox" data-pick><span data-number>${number}</span><a data-title>${uid}</a>${arrows(number)}</li>`;
const section = (uid: string, number: number, lessons: string[]): string => `
  <section data-section="${uid}"><span data-grip></span><div class="unit__tools">${arrows(`section ${number}`)}</div>
  <details open><summary><span data-section-number>${number}</span><b data-title>${uid}</b><i data-facts></i></summary>
  <ol data-lessons="${uid}">${lessons.map((one, at) => lesson(one, `${number}.${at + 1}`)).join("")}<li data-none hidden></li></ol></details></section>`;

type Calls = Pick<OutlineCalls, "moveLessons" | "moveSection">;
let outline: HTMLElement;
let calls: { [Name in keyof Calls]: ReturnType<typeof vi.fn<Calls[Name]>> };
let mover: ReturnType<typeof createMover>;
let selection: ReturnType<typeof createSelection>;
const said: string[] = [];
const stale: Outline[] = [];
const answer = { outline: { etag: "two", sections: [] as unknown[] } } as unknown as Changed;

beforeEach(() => {
  document.body.innerHTML = `<div data-outline>${section("A", 1, ["a1", "a2"])}${section("B", 2, ["b1"])}</div>`;
  outline = document.querySelector<HTMLElement>("[data-outline]")!;
  said.length = 0;
  stale.length = 0;
  calls = {
    moveLessons: vi.fn<Calls["moveLessons"]>().mockResolvedValue(answer),
    moveSection: vi.fn<Calls["moveSection"]>().mockResolvedValue(answer),
  };
  mover = createMover(outline, calls, {
    etag: () => "one",
    onMoving: () => undefined,
    onMoved: (_changed, text) => said.push(text),
    onStale: (theirs) => {
      stale.push(theirs);
      return Promise.resolve();
    },
  });
  mover.startArrows();
  selection = createSelection(outline, () => undefined);
  startDragging(outline, mover.move, (one) => selection.rowsWith(one));
});

const row = (uid: string): HTMLElement =>
  outline.querySelector<HTMLElement>(`[data-lesson="${uid}"], [data-section="${uid}"]`)!;
const list = (uid: string): HTMLElement => outline.querySelector(`[data-lessons="${uid}"]`)!;
const order = (): string[] =>
  [...outline.querySelectorAll<HTMLElement>("[data-section], [data-lesson]")].map(
    ({ dataset }) => dataset.section ?? dataset.lesson ?? "",
  );
const press = (uid: string, to: string): void =>
  row(uid).querySelector<HTMLButtonElement>(`[data-move="${to}"]`)!.click();
const toasts = (): string => document.querySelector(".toasts")?.textContent ?? "";
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

it("moves at once, updates visible and spoken numbers, and tells the server", async () => {
  press("a1", "down");

  expect(order()).toEqual(["A", "a2", "a1", "B", "b1"]);
  expect(row("a1").querySelector("[data-number]")?.textContent).toBe("1.2");
  expect(row("a1").querySelector("[data-move=up]")?.ariaLabel).toBe("Move 1.2 up");
  await settled();
  expect(calls.moveLessons).toHaveBeenCalledExactlyOnceWith(["a1"], "A", 2, "one");
  expect(said).toEqual(["“a1” is now 1.2."]);
});

it("moves into the next section, and an empty section says so", async () => {
  press("b1", "up");
  await settled();

  expect(order()).toEqual(["A", "a1", "a2", "b1", "B"]);
  expect(calls.moveLessons).toHaveBeenCalledExactlyOnceWith(["b1"], "A", 3, "one");
  expect(list("B").querySelector<HTMLElement>("[data-none]")?.hidden).toBe(false);
});

it("keeps the focus on the arrow button, or on the other one at an end", () => {
  const [up, down] = [...row("A").querySelectorAll<HTMLButtonElement>(".unit__tools [data-move]")];
  vi.spyOn(up!, "offsetParent", "get").mockReturnValue(document.body);
  down!.focus();
  press("A", "down");

  expect(order()).toEqual(["B", "b1", "A", "a1", "a2"]);
  expect(down!.disabled).toBe(true);
  expect(document.activeElement).toBe(up);
  expect(row("a1").querySelector("[data-number]")?.textContent).toBe("2.1");
});

it("sends quick moves one after the other", async () => {
  let free = (): void => undefined;
  calls.moveLessons.mockImplementationOnce(
    () => new Promise((resolve) => (free = () => resolve(answer))),
  );
  press("a1", "down");
  press("a1", "down");
  await settled();
  expect(calls.moveLessons).toHaveBeenCalledOnce();

  free();
  await settled();
  expect(calls.moveLessons.mock.lastCall).toEqual([["a1"], "B", 1, "one"]);
});

it("reverts a refused move and those after it, with the reason", async () => {
  calls.moveLessons.mockRejectedValueOnce(new Error("The course is under review."));
  press("a1", "down");
  press("a1", "down");
  await settled();

  expect(order()).toEqual(["A", "a1", "a2", "B", "b1"]);
  expect(row("a1").querySelector("[data-number]")?.textContent).toBe("1.1");
  expect(calls.moveLessons).toHaveBeenCalledOnce();
  expect(toasts()).toContain("Not moved. The course is under review.");
  expect(document.querySelector("[data-live=assertive]")?.textContent).toContain("under review");
});

it("shows what someone else has done to the outline, and moves then if that is wanted", async () => {
  const theirs = { etag: "theirs", sections: [] };
  calls.moveLessons.mockRejectedValueOnce(
    errorOfResponse(new Response(null, { status: 409 }), {
      code: "OUTLINE_CHANGED",
      detail: "Changed.",
      params: { outline: theirs },
    }),
  );
  press("a1", "down");
  await settled();

  expect(order()).toEqual(["A", "a1", "a2", "B", "b1"]);
  expect(stale).toEqual([theirs]);
  [...document.querySelectorAll<HTMLButtonElement>(".toast button")]
    .find((one) => one.textContent === "Move anyway")!
    .click();
  await settled();
  expect(order()).toEqual(["A", "a2", "a1", "B", "b1"]);
});

it("moves selected lessons together, in their order", async () => {
  for (const uid of ["b1", "a1"]) row(uid).querySelector<HTMLInputElement>("[data-pick]")!.click();
  expect(selection.rows().map(({ dataset }) => dataset.lesson)).toEqual(["a1", "b1"]);

  mover.move(selection.rowsWith(row("b1")), { list: list("B"), before: null });
  await settled();

  expect(order()).toEqual(["A", "a2", "B", "a1", "b1"]);
  expect(calls.moveLessons).toHaveBeenCalledExactlyOnceWith(["a1", "b1"], "B", 1, "one");
  expect(said).toEqual(["2 lessons moved to 2.1."]);
});

it("selects a range with Shift, and forgets what is gone", () => {
  selection.toggle(row("a1"), false);
  selection.toggle(row("b1"), true);
  expect(selection.rows()).toHaveLength(3);
  row("a2").remove();
  selection.refresh();
  expect(selection.rows().map(({ dataset }) => dataset.lesson)).toEqual(["a1", "b1"]);
  selection.toggle(row("a1"), false);
  expect(selection.rowsWith(row("a1"))).toEqual([row("a1")]);
});

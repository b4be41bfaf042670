import { beforeEach, expect, it, vi } from "vitest";

import { startDragging } from "./drag";
import { type Calls, createMover, type Outline } from "./moves";

const arrows = (number: string): string =>
  ["up", "down"]
    .map(
      (to) => `<form><button data-move="${to}" aria-label="Move ${number} ${to}"></button></form>`,
    )
    .join("");
const lesson = (uid: string, number: string): string =>
  `<li data-lesson="${uid}"><span data-grip></span><span data-number>${number}</span><a data-title>${uid}</a>${arrows(number)}</li>`;
const section = (uid: string, number: number, lessons: string[]): string => `
  <section data-section="${uid}"><span data-grip></span><div class="unit__tools">${arrows(`section ${number}`)}</div>
  <details open><summary><span data-section-number>${number}</span><b data-title>${uid}</b><i data-facts></i></summary>
  <ol data-lessons="${uid}">${lessons.map((one, at) => lesson(one, `${number}.${at + 1}`)).join("")}<li data-none hidden></li></ol></details></section>`;

let outline: HTMLElement;
let calls: { [Name in keyof Calls]: ReturnType<typeof vi.fn<Calls[Name]>> };
let move: ReturnType<typeof createMover>["move"];
const answer: Outline = {
  version: 2,
  sections: [{ uid: "B", title: "B", position: 2, facts: "3 lessons", lessons: [] }],
};

beforeEach(() => {
  document.body.innerHTML = `<div data-outline>${section("A", 1, ["a1", "a2"])}${section("B", 2, ["b1"])}</div>`;
  outline = document.querySelector<HTMLElement>("[data-outline]")!;
  calls = {
    lesson: vi.fn<Calls["lesson"]>().mockResolvedValue(answer),
    section: vi.fn<Calls["section"]>().mockResolvedValue(answer),
  };
  const mover = createMover(outline, calls);
  ({ move } = mover);
  mover.startArrows();
  startDragging(outline, move);
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
  expect(calls.lesson).toHaveBeenCalledExactlyOnceWith("a1", "A", 2);
  expect(toasts()).toContain("“a1” is now 1.2.");
  expect(row("B").querySelector("[data-facts]")?.textContent).toBe("3 lessons");
});

it("moves into the next section, and an empty section says so", async () => {
  press("b1", "up");
  await settled();

  expect(order()).toEqual(["A", "a1", "a2", "b1", "B"]);
  expect(calls.lesson).toHaveBeenCalledExactlyOnceWith("b1", "A", 3);
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
  calls.lesson.mockImplementationOnce(
    () => new Promise((resolve) => (free = () => resolve(answer))),
  );
  press("a1", "down");
  press("a1", "down");
  await settled();
  expect(calls.lesson).toHaveBeenCalledOnce();

  free();
  await settled();
  expect(calls.lesson.mock.lastCall).toEqual(["a1", "B", 1]);
});

it("reverts a refused move and those after it, with the reason", async () => {
  calls.lesson.mockRejectedValueOnce(new Error("The course is under review."));
  press("a1", "down");
  press("a1", "down");
  await settled();

  expect(order()).toEqual(["A", "a1", "a2", "B", "b1"]);
  expect(row("a1").querySelector("[data-number]")?.textContent).toBe("1.1");
  expect(calls.lesson).toHaveBeenCalledOnce();
  expect(toasts()).toContain("Not moved. The course is under review.");
  expect(document.querySelector("[data-live=assertive]")?.textContent).toContain("under review");
});

it("is undone", async () => {
  press("a2", "down");
  await settled();
  [...document.querySelectorAll<HTMLButtonElement>(".toast button")].at(-2)!.click();
  await settled();

  expect(order()).toEqual(["A", "a1", "a2", "B", "b1"]);
  expect(calls.lesson.mock.lastCall).toEqual(["a2", "A", 2]);
});

it("sends nothing when a row stays in its position", async () => {
  move(row("a1"), { list: list("A"), before: row("a2") });
  await settled();

  expect(calls.lesson).not.toHaveBeenCalled();
});

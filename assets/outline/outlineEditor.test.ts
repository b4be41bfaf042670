import { beforeEach, expect, it, vi } from "vitest";

import type { Changed, Outline, OutlineCalls } from "./outlineCalls";
import { startOutlineEditor } from "./outlineEditor";

const section = (uid: string, lessons: string[]): string => `
  <section data-section="${uid}"><details open><summary><b data-title>${uid}</b><i data-facts></i></summary>
  <ol data-lessons="${uid}">${lessons.map((one) => `<li data-lesson="${one}"><a data-title href="#">${one}</a><button data-move="down"></button></li>`).join("")}<li data-none hidden></li></ol></details></section>`;

const outlineOf = (etag: string, order: Record<string, string[]>): Outline =>
  ({
    etag,
    sections: Object.entries(order).map(([uid, lessons]) => ({
      uid,
      title: uid,
      facts: "",
      lessons: lessons.map((one) => ({ uid: one })),
    })),
  }) as unknown as Outline;

let grid: HTMLElement;
let outline: HTMLElement;
let reads: Outline[];
let sent: string[];

beforeEach(() => {
  document.body.innerHTML = `<div data-lectures><p data-undo-line></p><div data-outline="one">
    ${section("A", ["a1", "a2"])}${section("B", ["b1"])}</div></div>`;
  grid = document.querySelector<HTMLElement>("[data-lectures]")!;
  outline = document.querySelector<HTMLElement>("[data-outline]")!;
  document.elementFromPoint = () => null;
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("", { status: 500 })));
  sent = [];
});

function start(calls: Partial<OutlineCalls>) {
  const nothing = (): void => undefined;
  return startOutlineEditor(grid, outline, calls as OutlineCalls, {
    onRenameLesson: () => Promise.resolve(null),
    onChanged: nothing,
    onShown: nothing,
    onGone: nothing,
  });
}

const order = (): string[] =>
  [...outline.querySelectorAll<HTMLElement>("[data-lesson]")].map(
    ({ dataset }) => dataset.lesson ?? "",
  );

it("leaves rows that are in place untouched, so that a drag or a rename continues", async () => {
  const editor = start({
    fetchOutline: () => Promise.resolve(outlineOf("two", { A: ["a2", "a1"], B: ["b1"] })),
  });
  const seen = vi.fn<MutationCallback>();
  const observer = new MutationObserver(seen);
  observer.observe(outline, { childList: true });
  observer.observe(outline.querySelector("[data-lessons=B]")!, { childList: true });
  await editor.refresh();

  expect(order()).toEqual(["a2", "a1", "b1"]);
  await new Promise((done) => setTimeout(done));
  expect(seen).not.toHaveBeenCalled();
});

it("sends the next move with the newest state, and shows nothing older than what it answered", async () => {
  reads = [
    outlineOf("old", { A: ["a1", "a2"], B: ["b1"] }),
    outlineOf("new", { A: ["a2"], B: ["b1", "a1"] }),
  ];
  let answerRead: (now: Outline) => void = () => undefined;
  const editor = start({
    fetchOutline: () => new Promise((done) => (answerRead = done)),
    moveLessons: (_lessons: string[], _section: string, _position: number, etag: string) => {
      sent.push(etag);
      const now = outlineOf(`after ${sent.length}`, { A: ["a2", "a1"], B: ["b1"] });
      return Promise.resolve({ outline: now, change: null, added: [] } as unknown as Changed);
    },
  });
  const refreshed = editor.refresh();
  const down = outline.querySelector<HTMLElement>("[data-lesson=a1] [data-move]")!;
  down.click();
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  await vi.waitFor(() => expect(order()).toEqual(["a2", "a1", "b1"]));
  answerRead(reads[0]!); // it was on its way before the move
  await Promise.resolve();
  await new Promise((done) => setTimeout(done));
  expect(order()).toEqual(["a2", "a1", "b1"]);
  answerRead(reads[1]!);
  await refreshed;
  expect(order()).toEqual(["a2", "b1", "a1"]);
  down.click(); // the last one of the outline goes nowhere
  outline.querySelector<HTMLElement>("[data-lesson=b1] [data-move]")!.click();
  await vi.waitFor(() => expect(sent).toEqual(["one", "new"]));
});

it("sends each of several quick moves to the place that it was given", async () => {
  const added = `<li data-lesson="a3"><a data-title href="#">a3</a></li>`;
  document.querySelector("[data-lesson=a2]")!.insertAdjacentHTML("afterend", added);
  const answers: (() => void)[] = [];
  start({
    moveLessons: (_lessons: string[], section: string, position: number, etag: string) => {
      sent.push(`${section} ${position} ${etag}`);
      const A = ["a2", "a3"];
      A.splice(position - 1, 0, "a1");
      const now = outlineOf(`after ${sent.length}`, { A, B: ["b1"] });
      const change = { uid: "change", text: "" };
      return new Promise<Changed>((done) =>
        answers.push(() => done({ outline: now, change, added: [] } as unknown as Changed)),
      );
    },
  });
  const down = outline.querySelector<HTMLElement>("[data-lesson=a1] [data-move]")!;
  down.click();
  down.click();
  expect(order()).toEqual(["a2", "a3", "a1", "b1"]);
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  answers[0]!();
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  expect(order()).toEqual(["a2", "a3", "a1", "b1"]);
  answers[1]!();
  await new Promise((done) => setTimeout(done));
  expect(order()).toEqual(["a2", "a3", "a1", "b1"]);
  expect(sent).toEqual(["A 2 one", "A 3 after 1"]);
});

it("offers to take back a section that was added", async () => {
  grid.insertAdjacentHTML(
    "beforeend",
    `<form data-add-section><input name="title" value="C"></form>`,
  );
  const before = outlineOf("one", { A: ["a1", "a2"], B: ["b1"] });
  const answer = (now: Outline, change: unknown): Promise<Changed> =>
    Promise.resolve({ outline: now, change, added: [] } as unknown as Changed);
  start({
    addSection: (title: string) => {
      sent.push(title);
      return answer(before, { uid: "change", text: "“C” was added." });
    },
    undo: (change: string) => {
      sent.push(change);
      return answer(before, null);
    },
  });
  grid.querySelector("form")!.dispatchEvent(new Event("submit", { cancelable: true }));
  const undoIn = (toast: Element): HTMLElement | undefined =>
    [...toast.querySelectorAll("button")].find((one) => one.textContent === "Undo");
  const toastWith = (said: string): Element | undefined =>
    [...document.querySelectorAll(".toast")].find((one) => one.textContent.includes(said));
  await vi.waitFor(() => expect(toastWith("“C” was added.")).toBeDefined());
  undoIn(toastWith("“C” was added.")!)!.click();
  await vi.waitFor(() => expect(toastWith("Undone: “C” was added.")).toBeDefined());
  expect(sent).toEqual(["C", "change"]);
  expect(undoIn(toastWith("Undone")!)).toBeUndefined();
});

it("asks at the address of the page for the rows, when the open lesson is gone", async () => {
  grid.dataset.lectures = "/lectures";
  history.replaceState(null, "", "/lectures/a1");
  outline.querySelector("[data-lesson=a1]")!.classList.add("is-open");
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (address: unknown) => {
    asked.push(address);
    return Promise.resolve(new Response("", { status: 500 }));
  });
  let now = outlineOf("two", { A: ["a2", "a1"], B: ["b1"] });
  const editor = start({ fetchOutline: () => Promise.resolve(now) });
  await editor.refresh();
  now = outlineOf("three", { A: ["a2"], B: ["b1"] });
  await editor.refresh();
  expect(asked).toEqual(["/lectures/a1", "/lectures"]);
  expect(order()).toEqual(["a2", "b1"]);
});

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { startLessons } from "./lessons";
import { PAUSE_MS, startSimilarTopics } from "./similarTopics";
import { startTitle, titleLength } from "./title";

const asked: { address: string; signal: AbortSignal | null }[] = [];
let answer: (address: string) => Promise<Response>;
const topic = (id: number, facts: object = {}) => ({
  id,
  title_html: "Why <mark>two</mark> &lt;lines&gt;?",
  snippet_html: "A slant",
  reply_count: 2,
  is_answered: false,
  is_unanswered: false,
  ...facts,
});
const reply = (...topics: object[]) => Promise.resolve(Response.json(topics));

let title: HTMLInputElement;
let place: HTMLElement;

function type(text: string): void {
  title.value = text;
  title.dispatchEvent(new Event("input"));
}
const pause = () => vi.advanceTimersByTimeAsync(PAUSE_MS);

beforeEach(() => {
  vi.useFakeTimers();
  asked.length = 0;
  answer = () => reply();
  vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
    asked.push({ address, signal: init.signal ?? null });
    return answer(address);
  });
  document.body.innerHTML = `<div data-live="polite"></div><form>
    <input type="radio" name="kind" value="question" checked><input type="radio" name="kind" value="share">
    <select name="board"><option value="algebra">A</option><option value="other">B</option></select>
    <input name="title" maxlength="12"><span data-reads-as-question hidden></span><span data-title-count></span>
    <section data-alike hidden><ul></ul></section></form>`;
  title = document.querySelector("input[name=title]")!;
  place = document.querySelector("[data-alike]")!;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("asks once per pause, and shows at most what the server gives, with marks and without foreign elements", async () => {
  startSimilarTopics(title, place);
  answer = () =>
    reply(topic(7, { is_answered: true }), topic(8, { is_unanswered: true, reply_count: 0 }));
  for (const text of ["Why", "Why tw", "Why two"]) type(text);
  await pause();

  expect(asked.map(({ address }) => address)).toEqual([
    "/api/v1/forum/similar/?title=Why+two&board=algebra",
  ]);
  expect(place.hidden).toBe(false);
  const links = [...place.querySelectorAll("a")];
  expect(links.map((one) => [one.pathname, one.target])).toEqual([
    ["/forum/topics/7", "_blank"],
    ["/forum/topics/8", "_blank"],
  ]);
  expect(links[0]!.textContent).toBe("Why two <lines>? (opens in a new tab)");
  expect(links[0]!.querySelector("mark")!.textContent).toBe("two");
  expect([...place.querySelectorAll("li > span")].map((one) => one.textContent)).toEqual([
    "Answered2 replies",
    "Unanswered0 replies",
  ]);
  expect(document.querySelector("[data-live]")!.textContent).toBe(
    "2 similar topics below the title",
  );
});

it("announces a list only if it differs, and hides it for a short title without asking", async () => {
  startSimilarTopics(title, place);
  answer = () => reply(topic(7));
  type("Why two");
  await pause();
  document.querySelector("[data-live]")!.textContent = "";
  type("Why two lines");
  await pause();
  expect(document.querySelector("[data-live]")!.textContent).toBe("");
  type(" 🙂🙂🙂 ");
  await pause();

  expect(asked).toHaveLength(2);
  expect(place.hidden).toBe(true);
});

it("aborts the older request, and ignores its late answer", async () => {
  startSimilarTopics(title, place);
  let late: (response: Response) => void = () => undefined;
  answer = () => new Promise((resolve) => (late = resolve));
  type("Why two");
  await pause();
  answer = () => reply(topic(9));
  type("Why three");
  await pause();
  late(Response.json([topic(7)]));
  await pause();

  expect(asked[0]!.signal!.aborted).toBe(true);
  expect([...place.querySelectorAll("a")].map((one) => one.pathname)).toEqual(["/forum/topics/9"]);
});

it("keeps the list while it is offline, asks again, and follows the board", async () => {
  startSimilarTopics(title, place);
  answer = () => reply(topic(7));
  type("Why two");
  await pause();
  answer = () => Promise.reject(new TypeError("offline"));
  type("Why three");
  await pause();
  expect(place.querySelectorAll("a")).toHaveLength(1);
  answer = () => reply();
  const board = document.querySelector("select")!;
  board.value = "other";
  board.dispatchEvent(new Event("change"));
  await pause();

  expect(asked.at(-1)!.address).toBe("/api/v1/forum/similar/?title=Why+three&board=other");
  expect(place.hidden).toBe(true);
});

it("counts code points without spaces around, and marks a title that is too long", () => {
  startTitle(title, title.form!);
  const counter = document.querySelector("[data-title-count]")!;
  expect(title.hasAttribute("maxlength")).toBe(false);
  type(` ${"🙂".repeat(12)} `);
  expect([titleLength(title.value), counter.textContent]).toEqual([12, "12 of 12"]);
  expect(title.hasAttribute("aria-invalid")).toBe(false);
  type("🙂".repeat(13));
  expect(title.getAttribute("aria-invalid")).toBe("true");
});

it.each([
  ["Why?", "question", true],
  ["What is “two”?)", "question", true],
  ["为什么？", "question", true],
  ["Why? It bends", "question", false],
  ["Why?", "share", false],
])("says of %s (%s) whether it reads as a question", (text, kind, isShown) => {
  startTitle(title, title.form!);
  document.querySelector<HTMLInputElement>(`input[value=${kind}]`)!.checked = true;
  type(text);
  expect(document.querySelector<HTMLElement>("[data-reads-as-question]")!.hidden).toBe(!isShown);
});

it("waits with the list while a button is pressed", async () => {
  startSimilarTopics(title, place);
  answer = () => reply(topic(7));
  type("Why two");
  dispatchEvent(new Event("pointerdown"));
  await pause();
  expect(place.hidden).toBe(true);
  dispatchEvent(new Event("pointerup"));
  await vi.advanceTimersByTimeAsync(100);
  expect(place.hidden).toBe(false);
});

it("offers lessons only for the board of their course", () => {
  const form = document.querySelector("form")!;
  form.insertAdjacentHTML(
    "beforeend",
    `<div class="field"><select name="lesson"><option value="">None</option><option value="one" selected>1</option></select></div>`,
  );
  startLessons(form);
  const [board, lesson] = [...form.querySelectorAll("select")] as [
    HTMLSelectElement,
    HTMLSelectElement,
  ];
  board.value = "other";
  board.dispatchEvent(new Event("change"));
  expect(lesson.closest<HTMLElement>(".field")?.hidden).toBe(true);
  expect(lesson.value).toBe("");
  board.value = "algebra";
  board.dispatchEvent(new Event("change"));
  expect(lesson.closest<HTMLElement>(".field")?.hidden).toBe(false);
});

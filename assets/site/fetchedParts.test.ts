import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { startFetchedParts } from "./fetchedParts";

const ASK = `<form data-ask data-send-here action="/forum/new" method="post"><input name="title">
  <input type="hidden" name="second"><textarea name="source"></textarea>
  <p data-ask-second hidden>Asked at <b></b><button type="button">Without</button></p><button type="submit">Ask</button></form>`;
const LIST = `<p id="row">Why?</p><details><summary>Read</summary>
  <div data-fetch-part="/part?topic=7"><a href="/forum/topics/7">Open</a></div></details>${ASK}`;
const THREAD = (posts: string): string =>
  `<div data-thread-posts>${posts}</div><form data-send-here action="/forum/topics/7/reply" method="post">
   <textarea name="source">old</textarea><button type="submit">Post reply</button></form>`;

let near: (place: Element) => void;
const calls: string[] = [];
let answers: Record<string, () => Response | Promise<Response>>;
const page = (html: string) => () => new Response(html);
const posted = (address: string) => () =>
  Object.defineProperties(new Response(""), {
    redirected: { value: true },
    url: { value: new URL(address, location.href).href },
  });
const settle = () =>
  vi.waitFor(() => Promise.resolve()).then(() => new Promise((done) => setTimeout(done, 20)));

forgetListenersAfterEach();

beforeEach(() => {
  calls.length = 0;
  answers = { "GET /part": page(LIST), "GET /part?topic=7": page(THREAD("<p>One</p>")) };
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      seen = new Set<Element>();
      constructor(report: (entries: object[]) => void) {
        near = (target) => this.seen.has(target) && report([{ isIntersecting: true, target }]);
      }
      observe(place: Element): void {
        this.seen.add(place);
      }
      unobserve(place: Element): void {
        this.seen.delete(place);
      }
    },
  );
  vi.stubGlobal("fetch", (address: string, init?: RequestInit) => {
    const { pathname, search } = new URL(address, location.href);
    const call = `${init?.method ?? "GET"} ${pathname}${search}`;
    calls.push(call);
    const answer = answers[call];
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError("offline"));
  });
  document.body.innerHTML = `<video></video><div id="place" data-fetch-part="/part"><a href="/lesson">Questions</a></div>`;
  startFetchedParts();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const find = (selector: string): HTMLElement => document.querySelector<HTMLElement>(selector)!;
const formOf = (selector: string) => find(selector) as HTMLFormElement;
const thread = () => find("[data-fetch-part='/part?topic=7']");
const submit = (form: HTMLFormElement) =>
  form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));

it("fetches a part once when the reader comes near, and those within it after it", async () => {
  near(find("#place"));
  await settle();
  near(find("#place"));
  near(thread());
  await settle();

  expect(calls).toEqual(["GET /part", "GET /part?topic=7"]);
  expect(thread().textContent).toContain("One");
});

it("keeps the link where the part cannot be had, and tries again after a lost connection", async () => {
  answers["GET /part"] = () => new Response("", { status: 404 });
  near(find("#place"));
  await settle();
  expect(find("#place").textContent).toBe("Questions");

  document.body.innerHTML = `<div id="place" data-fetch-part="/part">Link</div>`;
  startFetchedParts();
  delete answers["GET /part"];
  near(find("#place"));
  await settle();
  answers["GET /part"] = page("<p>There</p>");
  near(find("#place"));
  await settle();
  expect(find("#place").textContent).toBe("There");
});

it("gives a question the second of the video, until the reader removes it", async () => {
  near(find("#place"));
  await settle();
  const [second, line] = [
    find("input[name=second]") as HTMLInputElement,
    find("[data-ask-second]"),
  ];
  const title = find("input[name=title]");
  (find("video") as HTMLVideoElement).currentTime = 0;
  title.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  expect([second.value, line.hidden]).toEqual(["", true]);
  Object.defineProperty(find("video"), "currentTime", { value: 402.7 });
  title.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  expect([second.value, line.hidden, line.querySelector("b")!.textContent]).toEqual([
    "402",
    false,
    "6:42",
  ]);
  line.querySelector("button")!.click();
  title.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  expect([second.value, line.hidden]).toEqual(["", true]);
});

it("posts a reply without leaving the page, and shows the posts as they are then", async () => {
  near(find("#place"));
  await settle();
  near(thread());
  await settle();
  answers["POST /forum/topics/7/reply"] = posted("/forum/topics/7#p9");
  answers["GET /part?topic=7"] = page(THREAD("<p>One</p><p>Two</p>"));
  const form = thread().querySelector("form")!;
  form.querySelector("textarea")!.value = "Two";
  submit(form);
  submit(form); // pressed twice
  await settle();

  expect(calls.filter((one) => one.startsWith("POST"))).toEqual(["POST /forum/topics/7/reply"]);
  expect(thread().querySelector("[data-thread-posts]")!.textContent).toBe("OneTwo");
  expect(thread().querySelector("form")).toBe(form); // with the composer in it
  expect(form.querySelector("textarea")!.value).toBe("old");
});

it("sends what is refused as a page, and keeps what could not be sent", async () => {
  near(find("#place"));
  await settle();
  const form = formOf("form[data-ask]");
  const send = vi.spyOn(form, "submit").mockImplementation(() => undefined);
  form.querySelector("textarea")!.value = "Why?";
  submit(form);
  await settle();
  expect(send).not.toHaveBeenCalled();
  for (const refusal of [
    () => new Response("", { status: 422 }),
    posted("/login?next=/forum/new"),
  ]) {
    answers["POST /forum/new"] = refusal;
    submit(form);
    await settle();
  }
  expect(send).toHaveBeenCalledTimes(2);
  expect(form.querySelector("textarea")!.value).toBe("Why?");

  answers["POST /forum/new"] = posted("/forum/topics/8");
  answers["GET /part"] = page(`<p id="row">New question</p>`);
  submit(form);
  await settle();
  expect(find("#place").textContent).toBe("New question");
});

it("marks the question just asked on the timeline, once", async () => {
  document.body.innerHTML = `<video></video><div id="discussion" data-marks='[[5,"Old"]]'><div id="place" data-fetch-part="/part"></div></div>`;
  startFetchedParts();
  const marked = vi.fn();
  document.addEventListener("study:marks", marked);
  near(find("#place"));
  await settle();
  answers["POST /forum/new"] = posted("/forum/topics/8");
  const questions = [
    [5, "Old", "/forum/topics/1", 0],
    [402, "Why?", "/forum/topics/8", 0],
  ];
  answers["GET /part"] = page(`<ul data-questions='${JSON.stringify(questions)}'></ul>${ASK}`);
  for (let times = 0; times < 2; times++) {
    submit(formOf("form[data-ask]"));
    await settle();
  }

  expect(JSON.parse(find("#discussion").dataset.marks!)).toEqual([
    [5, "Old"],
    [402, "Why?"],
  ]);
  expect(marked).toHaveBeenCalledTimes(2);
  document.removeEventListener("study:marks", marked);
});

it("leaves a text alone that the composer stops", async () => {
  near(find("#place"));
  await settle();
  const form = formOf("form[data-ask]");
  form.addEventListener("submit", (event) => event.preventDefault());
  submit(form);
  await settle();
  expect(calls).toEqual(["GET /part"]);
});

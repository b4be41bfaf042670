import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { followMessages } from "./follow";
import { lengthOf } from "./counter";
import { startWritebox } from "./writebox";

const UID = "5f0c7a52-0000-4000-8000-000000000001";
const said = (number: number, mine = false): string =>
  `<article class="say${mine ? " say--me" : ""}" data-number="${number}">${mine ? '<span data-read-mark><svg><use href="/i.svg#check"/></svg></span>' : ""}</article>`;
const part = (inner: string, more = ""): string =>
  `<div data-part data-more="${more}">${inner}</div>`;

let answers: Record<string, (body?: BodyInit | null) => Response> = {};
const calls: string[] = [];

function show(inner: string, old = ""): HTMLElement {
  document.body.innerHTML = `<main data-messages="${UID}">
    <div data-filters-of-messages></div><div data-convs="/me/messages"><a href="/me/messages/${UID}">Ada</a></div>
    <div data-talk ${old}>${inner}</div><p data-writing hidden></p>
    <form data-writebox method="post" action="/me/messages/${UID}"><input name="key" value="k1">
      <textarea name="source" data-most="10"></textarea><span data-count hidden></span><button>Send</button></form></main>`;
  return document.querySelector("main")!;
}

const numbers = (): number[] =>
  [...document.querySelectorAll<HTMLElement>("[data-number]")].map((one) =>
    Number(one.dataset.number),
  );
const settle = async (): Promise<void> => {
  for (let n = 0; n < 12; n++) await Promise.resolve();
  await vi.advanceTimersByTimeAsync(400);
};

forgetListenersAfterEach();

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  calls.length = 0;
  answers = {};
  vi.stubGlobal("fetch", (address: string, init?: RequestInit) => {
    const path = new URL(address, location.href).pathname + new URL(address, location.href).search;
    calls.push(`${init?.method ?? "GET"} ${path}`);
    const answer = answers[path];
    return answer ? Promise.resolve(answer(init?.body)) : Promise.reject(new TypeError("offline"));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("followMessages", () => {
  it("appends new messages once, however often they arrive, and marks them as read", async () => {
    const live = followMessages(show(`<p data-day="2026-11-23">Today</p>${said(1)}`));
    answers[`/me/messages/${UID}/part?after=1`] = () =>
      new Response(part(`<p data-day="2026-11-23">Today</p>${said(1)}${said(2)}`, "1"));
    answers[`/me/messages/${UID}/part?after=2`] = () => new Response(part(said(3, true)));
    answers[`/me/messages/${UID}/part?after=3`] = () => new Response(part(""));
    const read: string[] = [];
    answers[`/me/messages/${UID}/read`] = (body) => {
      read.push((body as URLSearchParams).toString());
      return new Response(null, { status: 204 });
    };

    live.hear({ type: "conversation", conversation: UID, last: 3, read: 0 });
    live.catchUp();
    live.hear({ type: "conversation", conversation: UID, last: 3, read: 0 });
    await settle();

    expect(numbers()).toEqual([1, 2, 3]);
    expect(document.querySelectorAll("[data-day]")).toHaveLength(1);
    expect(read).toEqual(["number=2"]);
  });

  it("keeps what it shows if the server cannot be reached, and catches up later", async () => {
    const live = followMessages(show(said(1)));
    live.catchUp();
    await settle();
    expect(numbers()).toEqual([1]);

    answers[`/me/messages/${UID}/part?after=1`] = () => new Response(part(said(2)));
    live.catchUp();
    await settle();
    expect(numbers()).toEqual([1, 2]);
  });

  it("adds nothing below an older part of the conversation", async () => {
    const live = followMessages(show(said(1), "data-is-old"));
    live.hear({ type: "conversation", conversation: UID, last: 9, read: 0 });
    await settle();

    expect(calls).toEqual(["GET /me/messages"]); // the list alone
  });

  it("leads to the own message that was sent from an older part", async () => {
    const assign = vi.fn();
    const { href } = location;
    vi.stubGlobal("location", { href, pathname: `/me/messages/${UID}`, assign });
    const page = show(said(1), "data-is-old");
    startWritebox(page, { onSent: followMessages(page).showSent, onWriting: () => true });
    answers[`/me/messages/${UID}`] = () => Response.json({ number: 41 });
    page.querySelector("textarea")!.value = "Hello";
    page.querySelector("form")!.requestSubmit();
    await settle();

    expect(assign).toHaveBeenCalledExactlyOnceWith(`/me/messages/${UID}#m-41`);
  });

  it("shows what the other person has read, and that they are writing", async () => {
    const live = followMessages(show(said(1, true) + said(2, true)));
    live.hear({ type: "conversation", conversation: UID, last: 2, read: 1 });
    live.hear({ type: "writing", conversation: "another" });
    expect(document.querySelector<HTMLElement>("[data-writing]")!.hidden).toBe(true);
    live.hear({ type: "writing", conversation: UID });

    const marks = [...document.querySelectorAll("[data-read-mark]")];
    expect(marks.map((one) => one.classList.contains("is-read"))).toEqual([true, false]);
    expect(document.querySelector<HTMLElement>("[data-writing]")!.hidden).toBe(false);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(document.querySelector<HTMLElement>("[data-writing]")!.hidden).toBe(true);
  });

  it("refreshes the list and keeps the open conversation marked", async () => {
    const live = followMessages(show(said(1)));
    answers["/me/messages"] = () =>
      new Response(
        `<div data-convs><ul><li class="is-new"><a href="/me/messages/${UID}">Ada, 1m</a></li></ul></div>`,
      );
    live.hear({ type: "conversation", conversation: "another", last: 4, read: 0 });
    await settle();

    const link = document.querySelector("[data-convs] a")!;
    expect(link.textContent).toBe("Ada, 1m");
    expect(link.getAttribute("aria-current")).toBe("true");
    expect(link.closest("li")!.className).toBe("");
  });
});

describe("startWritebox", () => {
  const area = (): HTMLTextAreaElement => document.querySelector("textarea")!;
  const type = (text: string): void => {
    area().value = text;
    area().dispatchEvent(new Event("input"));
  };
  const start = () => {
    const events = { onSent: vi.fn(), onWriting: vi.fn(() => true) };
    startWritebox(show(said(1)), events);
    return events;
  };

  it("sends without leaving the page, and clears the field and its draft", async () => {
    const { onSent, onWriting } = start();
    answers[`/me/messages/${UID}`] = () => Response.json({ number: 2 });
    type("Hello");
    type("Hello Ada");
    area().dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true }));
    await settle();

    expect(onWriting).toHaveBeenCalledTimes(1);
    expect(onSent).toHaveBeenCalledExactlyOnceWith(2);
    expect(area().value).toBe("");
    expect(localStorage).toHaveLength(0);
    expect(document.querySelector<HTMLInputElement>("[name=key]")!.value).not.toBe("k1");
  });

  it("keeps the text, its key and its draft if it could not be sent", async () => {
    const { onSent } = start();
    type("Hello");
    document.querySelector("form")!.requestSubmit();
    await settle();

    expect(onSent).not.toHaveBeenCalled();
    expect(area().value).toBe("Hello");
    expect(document.querySelector<HTMLInputElement>("[name=key]")!.value).toBe("k1");
    start();
    expect(area().value).toBe("Hello");
  });

  it("shows why the server refused", async () => {
    start();
    answers[`/me/messages/${UID}`] = () => Response.json({ detail: "Too long" }, { status: 400 });
    type("Hello");
    document.querySelector("form")!.requestSubmit();
    await settle();

    expect(document.body.textContent).toContain("Too long");
    expect(area().value).toBe("Hello");
  });

  it("counts near the limit as the server does", () => {
    start();
    const counter = document.querySelector<HTMLElement>("[data-count]")!;
    type("1234567");
    expect(counter.hidden).toBe(true);
    type("🙂".repeat(11));
    expect(counter.textContent).toBe("11 of 10");
    expect(area().getAttribute("aria-invalid")).toBe("true");
    expect(lengthOf("a\r\nb\rc")).toBe(5);
  });
});

import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";

import { PENDING_MS, SHOWN_MS, startLoadingBar } from "./loadingBar";

beforeAll(() => {
  startLoadingBar();
  // jsdom cannot navigate; this runs after the bar has seen the event.
  addEventListener("click", (event) => event.preventDefault());
  addEventListener("submit", (event) => event.preventDefault());
});
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
});

const bar = (): Element | null => document.querySelector(".pagebar[aria-hidden=true]");

function press(html: string, init: MouseEventInit = {}): void {
  document.body.innerHTML = html;
  document
    .querySelector<HTMLElement>("a, button")!
    .dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...init }));
}

const spoken = (): string | undefined => document.querySelector("[data-live=polite]")?.textContent;

it("announces that the next page is loading once it takes long", () => {
  press('<a href="/slow">Slow</a>');
  vi.advanceTimersByTime(PENDING_MS - 1);
  expect(spoken()).toBeUndefined();

  vi.advanceTimersByTime(1);
  expect(spoken()).toBe("Loading the page");
});

it("shows after a second of waiting for a page", () => {
  press('<a href="/slow">Slow</a>');
  vi.advanceTimersByTime(PENDING_MS - 1);
  expect(bar()).toBeNull();

  vi.advanceTimersByTime(1);
  expect(bar()).not.toBeNull();
});

it("shows for a form too", () => {
  document.body.innerHTML = '<form action="/x" method="post"></form>';
  document.querySelector("form")!.requestSubmit();
  vi.advanceTimersByTime(PENDING_MS);

  expect(bar()).not.toBeNull();
});

it.each([
  ["a place on this page", '<a href="#main">x</a>', {}],
  ["a new window", '<a href="/x" target="_blank">x</a>', {}],
  ["a download", '<a href="/x" download>x</a>', {}],
  ["a mail", '<a href="mailto:a@example.org">x</a>', {}],
  ["a press with Ctrl", '<a href="/x">x</a>', { ctrlKey: true }],
  ["the middle button", '<a href="/x">x</a>', { button: 1 }],
])("does not show for %s", (_, html, init) => {
  press(html, init);
  vi.advanceTimersByTime(PENDING_MS * 2);

  expect(bar()).toBeNull();
});

it("stays for half a second in all, across pages", () => {
  press('<a href="/slow">Slow</a>');
  vi.advanceTimersByTime(PENDING_MS + 100);
  document.body.innerHTML = ""; // the next page
  startLoadingBar();

  expect(bar()).not.toBeNull();
  vi.advanceTimersByTime(SHOWN_MS - 101);
  expect(bar()).not.toBeNull();
  vi.advanceTimersByTime(1);
  expect(bar()).toBeNull();
});

it("is gone on the next page when it was long enough on this one", () => {
  press('<a href="/slow">Slow</a>');
  vi.advanceTimersByTime(PENDING_MS + SHOWN_MS);
  document.body.innerHTML = "";
  startLoadingBar();

  expect(bar()).toBeNull();
});

it("hides when the response was not a page", () => {
  press('<a href="/file">File</a>');
  vi.advanceTimersByTime(PENDING_MS + 20_000);

  expect(bar()).toBeNull();
});

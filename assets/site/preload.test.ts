import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { addressOf, INTENT_MS, MAX_PAGES, startPreloading } from "./preload";

forgetListenersAfterEach();

const fetched = vi.fn<(address: string) => void>();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  Reflect.deleteProperty(navigator, "connection");
});

function start(html: string): HTMLAnchorElement[] {
  document.body.innerHTML = html;
  startPreloading((address) => fetched(address));
  return [...document.querySelectorAll("a")];
}

const over = (element: Element): boolean =>
  element.dispatchEvent(new Event("pointerover", { bubbles: true }));

it("fetches after 50 ms of hovering, not before", () => {
  const [link] = start('<a href="/courses/"><b>Courses</b></a>');
  over(link!.querySelector("b")!);
  vi.advanceTimersByTime(INTENT_MS - 1);
  expect(fetched).not.toHaveBeenCalled();

  vi.advanceTimersByTime(1);
  expect(fetched).toHaveBeenCalledExactlyOnceWith("/courses/");
});

it("does not fetch what the pointer only crosses", () => {
  const [link] = start('<a href="/courses/">Courses</a><p>Text</p>');
  over(link!);
  vi.advanceTimersByTime(30);
  over(document.querySelector("p")!);
  vi.advanceTimersByTime(1000);

  expect(fetched).not.toHaveBeenCalled();
});

it("fetches after 50 ms of focus, and at once on a press", () => {
  const [first, second] = start('<a href="/a">A</a><a href="/b">B</a>');
  first!.dispatchEvent(new Event("focusin", { bubbles: true }));
  vi.advanceTimersByTime(INTENT_MS);
  second!.dispatchEvent(new Event("pointerdown", { bubbles: true }));

  expect(fetched.mock.calls).toEqual([["/a"], ["/b"]]);
});

it("fetches a page once, and not more pages than the limit", () => {
  const many = Array.from({ length: MAX_PAGES + 5 }, (_, n) => `<a href="/p/${n}">${n}</a>`);
  const links = start(many.join(""));
  for (const link of [...links, ...links])
    link.dispatchEvent(new Event("pointerdown", { bubbles: true }));

  expect(fetched).toHaveBeenCalledTimes(MAX_PAGES);
  expect(new Set(fetched.mock.calls.flat()).size).toBe(MAX_PAGES);
});

it.each([{ saveData: true }, { effectiveType: "2g" }, { effectiveType: "slow-2g" }])(
  "fetches nothing on a connection that is %j",
  (connection) => {
    Object.defineProperty(navigator, "connection", { value: connection, configurable: true });
    const [link] = start('<a href="/courses/">Courses</a>');
    link!.dispatchEvent(new Event("pointerdown", { bubbles: true }));

    expect(fetched).not.toHaveBeenCalled();
  },
);

it.each([
  ["another site", '<a href="https://example.org/">x</a>'],
  ["a mail address", '<a href="mailto:a@example.org">x</a>'],
  ["a download", '<a href="/file" download>x</a>'],
  ["a new window", '<a href="/help" target="_blank">x</a>'],
  ["a marked link", '<a href="/x" data-no-preload>x</a>'],
  ["a link in a marked part", '<div data-no-preload><a href="/x">x</a></div>'],
  ["a one-time address", '<a href="/me/dashboard?token=abc">x</a>'],
  ["the way out", '<a href="/auth/logout">x</a>'],
  ["the API", '<a href="/api/v1/schema/">x</a>'],
  ["media", '<a href="/media/a.mp4">x</a>'],
  ["this page", '<a href="/">x</a>'],
  ["a place on this page", '<a href="/#main">x</a>'],
])("never fetches %s", (_, html) => {
  const [link] = start(html);

  expect(addressOf(link!)).toBeNull();
});

it("fetches a page whose address only starts like that of the API", () => {
  const [link] = start('<a href="/apiculture">Bees</a>');

  expect(addressOf(link!)).toBe("/apiculture");
});

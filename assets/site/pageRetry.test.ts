import { beforeEach, expect, it, vi } from "vitest";

import { MAX_RETRIES, startPageRetry } from "./pageRetry";

const reload = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  reload.mockClear();
});

function fail(): HTMLElement {
  document.body.innerHTML = `<main><p data-retry="10" hidden>
    <span data-retry-says data-text="Again in {seconds} s."></span>
    <button type="button" data-retry-stop>Stop</button></p><a href="/">Home</a></main>`;
  startPageRetry(reload);
  return document.querySelector("[data-retry]")!;
}
const words = (place: HTMLElement): string => place.querySelector("span")!.textContent;

it("shows a countdown and reloads the page", () => {
  const place = fail();
  expect([place.hidden, words(place)]).toEqual([false, "Again in 10 s."]);
  expect(document.querySelector("[data-live=polite]")!.textContent).toBe("Retrying in 10 seconds");

  vi.advanceTimersByTime(9000);
  expect([words(place), reload.mock.calls.length]).toEqual(["Again in 1 s.", 0]);
  vi.advanceTimersByTime(1000);
  expect(reload).toHaveBeenCalledOnce();
});

it("waits longer each time, and stops after three retries", () => {
  const waits = Array.from({ length: MAX_RETRIES }, () => words(fail()));
  expect(waits).toEqual(["Again in 10 s.", "Again in 20 s.", "Again in 40 s."]);

  const last = fail();
  vi.advanceTimersByTime(200_000);
  expect(last.hidden).toBe(true);

  vi.advanceTimersByTime(300_000);
  expect(words(fail())).toBe("Again in 10 s.");
});

it("stops when its button is pressed", () => {
  const place = fail();
  place.querySelector("button")!.click();
  vi.advanceTimersByTime(60_000);

  expect(reload).not.toHaveBeenCalled();
  expect(place.hidden).toBe(true);
  expect(document.activeElement).toBe(document.querySelector("main a"));
});

it("does nothing on a page that came from a form, which has no countdown", () => {
  document.body.innerHTML = "<main></main>";
  startPageRetry(reload);
  vi.advanceTimersByTime(60_000);

  expect(reload).not.toHaveBeenCalled();
});

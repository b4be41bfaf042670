import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { sendVisit, startCourseVisit } from "./courseVisit";

forgetListenersAfterEach();
const send = vi.fn(() => true);
let visibility: DocumentVisibilityState = "visible";

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-03-14T10:00:00Z") });
  localStorage.clear();
  send.mockClear();
  visibility = "visible";
  Object.defineProperty(navigator, "sendBeacon", { value: send, configurable: true });
  Object.defineProperty(document, "visibilityState", {
    get: () => visibility,
    configurable: true,
  });
});

afterEach(() => {
  vi.useRealTimers();
  Object.defineProperty(navigator, "globalPrivacyControl", {
    value: undefined,
    configurable: true,
  });
  Object.defineProperty(navigator, "doNotTrack", { value: null, configurable: true });
});

function show(state: DocumentVisibilityState): void {
  visibility = state;
  document.dispatchEvent(new Event("visibilitychange"));
}

it("sends the visit after two seconds, once a day and course", () => {
  startCourseVisit("rivers");
  vi.advanceTimersByTime(1999);
  expect(send).not.toHaveBeenCalled();

  vi.advanceTimersByTime(1);
  expect(send).toHaveBeenCalledExactlyOnceWith("/courses/rivers/visit");

  expect(sendVisit("rivers")).toBe(false);
  expect(sendVisit("deltas")).toBe(true);
  expect(sendVisit("rivers", new Date("2026-03-15T00:00:01Z"))).toBe(true);
  expect(send).toHaveBeenCalledTimes(3);
});

it("waits until the page is visible for two seconds in one piece", () => {
  visibility = "hidden";
  startCourseVisit("rivers");
  vi.advanceTimersByTime(5000);
  show("visible");
  vi.advanceTimersByTime(1500);
  show("hidden");
  vi.advanceTimersByTime(5000);
  expect(send).not.toHaveBeenCalled();

  show("visible");
  vi.advanceTimersByTime(2000);
  show("hidden");
  show("visible");
  vi.advanceTimersByTime(5000);
  expect(send).toHaveBeenCalledTimes(1);
});

it.each([
  ["globalPrivacyControl", true],
  ["doNotTrack", "1"],
])("sends nothing with %s", (name, value) => {
  Object.defineProperty(navigator, name, { value, configurable: true });
  startCourseVisit("rivers");
  vi.advanceTimersByTime(5000);
  expect(send).not.toHaveBeenCalled();
});

it("sends nothing where nothing can be stored, and forgives what others stored", () => {
  localStorage.setItem("study.visits", "[1");
  expect(sendVisit("rivers")).toBe(true);
  const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new Error("full");
  });
  expect(sendVisit("deltas")).toBe(false);
  full.mockRestore();
});

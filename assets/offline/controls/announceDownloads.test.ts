import { beforeEach, expect, it, vi } from "vitest";

import { storedLesson } from "../testing/controls";
import type { OfflineLesson } from "../types";
import { createDownloadAnnouncer } from "./announceDownloads";

let hear: (lessons: readonly OfflineLesson[]) => void;
const said = (): string => document.querySelector("[data-live=polite]")?.textContent ?? "";
const lesson = (values: Partial<OfflineLesson>): OfflineLesson =>
  storedLesson({ state: "downloading", size: 100, received: 0, ...values });

beforeEach(() => {
  vi.useFakeTimers();
  document.body.replaceChildren();
  hear = createDownloadAnnouncer();
});

it("says every tenth percent at most, ten seconds apart, and the end", () => {
  hear([lesson({ received: 5 })]);
  expect(said()).toBe("");
  hear([lesson({ received: 12 })]);
  expect(said()).toBe("2.4 Eigenvectors: 12% downloaded");
  hear([lesson({ received: 35 })]);
  expect(said()).toContain("12%");
  vi.advanceTimersByTime(10_000);
  hear([lesson({ received: 18 })]);
  expect(said()).toContain("12%");
  hear([lesson({ received: 41 })]);
  expect(said()).toContain("41%");
  hear([lesson({ state: "downloaded", received: 100 })]);
  expect(said()).toBe("2.4 Eigenvectors is on this device");
});

it("counts lessons that are complete while others follow", () => {
  const [a, b, c] = [lesson({ uid: "a" }), lesson({ uid: "b" }), lesson({ uid: "c" })];
  const done = (one: OfflineLesson): OfflineLesson => ({ ...one, state: "downloaded" });
  hear([a, b, c]);
  hear([done(a), b, c]);
  expect(said()).toBe("2.4 Eigenvectors is on this device");
  hear([done(a), done(b), c]);
  expect(said()).toBe("2.4 Eigenvectors is on this device");
  hear([done(a), done(b), done(c)]);
  expect(said()).toBe("2 lessons are on this device");
});

it("says when a download stopped, and nothing of what was here before", () => {
  hear([lesson({}), lesson({ uid: "old", state: "downloaded" })]);
  expect(said()).toBe("");
  hear([lesson({ state: "failed" })]);
  expect(said()).toBe("The download of 2.4 Eigenvectors stopped");
});

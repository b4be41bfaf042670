import { expect, it } from "vitest";

import type { OfflineLesson } from "../types";
import { MB, storedLesson } from "../testing/controls";
import { define } from "../testing/browser";
import { buttonOf, dayOf, describeLesson, lookOf, roughSize, sizeOf } from "./words";

const line = (values: Partial<OfflineLesson>, isOnline = true): string =>
  describeLesson(storedLesson(values), isOnline);
const until = { expiresAt: new Date(new Date().getFullYear() + 1, 3, 9, 12).getTime() };
const day = `9 April ${String(new Date().getFullYear() + 1)}`;

it("writes sizes as they help to choose", () => {
  expect(roughSize(0)).toBe("0 MB");
  expect(roughSize(1000)).toBe("0.1 MB");
  expect(roughSize(2.44 * MB)).toBe("2.4 MB");
  expect(roughSize(95.7 * MB)).toBe("96 MB");
  expect(roughSize(1434 * MB)).toBe("1.4 GB");
  expect(sizeOf(331 * MB, 500 * MB)).toBe("331 of 500 MB");
  expect(sizeOf(900 * MB, 2150 * MB)).toBe("900 MB of 2.1 GB");
});

it("names the year only where it is another one", () => {
  const now = new Date(2027, 0, 5).getTime();

  expect(dayOf(new Date(2027, 3, 9).getTime(), now)).toBe("9 April");
  expect(dayOf(new Date(2028, 3, 9).getTime(), now)).toBe("9 April 2028");
});

it("says what is stored, and until when", () => {
  expect(line(until)).toBe(`720p, kept until ${day}`);
  expect(line({ ...until, position: 402 })).toBe(`720p, from 6:42, kept until ${day}`);
  expect(line({ ...until, position: 402, isCompleted: true })).toBe(
    `720p, watched, kept until ${day}`,
  );
  expect(line({ ...until, quality: "audio" })).toBe(`Audio only, kept until ${day}`);
  expect(line({ ...until, kind: "text", quality: "", isCompleted: true })).toBe(
    `Text, completed, kept until ${day}`,
  );
  expect(line({ ...until, kind: "quiz", quality: "" })).toBe(
    `Quiz, kept until ${day}. Your answers are kept here and sent later.`,
  );
});

it("says how far a download is, and what it waits for", () => {
  const half = { size: 118 * MB, received: 75.6 * MB };

  expect(line({ ...half, state: "downloading" })).toBe("720p, 64% of 118 MB");
  expect(line({ state: "downloading", size: 0, received: 0 })).toBe("720p, starting");
  expect(line({ ...half, state: "paused" })).toBe("720p, paused at 64%");
  expect(line({ ...half, state: "held" }, false)).toBe(
    "720p, 64% of 118 MB, resumes when you're back online",
  );
  const held = "720p, 64% of 118 MB, resumes";
  expect(line({ ...half, state: "held" }, true)).toBe(`${held} in a few minutes`);
  define("connection", { type: "cellular" });
  expect(line({ ...half, state: "held" }, true)).toBe(`${held} on Wi-Fi`);
  define("connection", undefined);
  expect(line({ state: "waiting" })).toBe("720p, waiting for its turn");
  const refusal = { code: "FULL", title: "Full", message: "This device is full." };
  expect(line({ ...half, state: "failed", refusal })).toBe(
    "Stopped at 64%. This device is full. The downloaded part is kept.",
  );
  expect(line({ received: 0, state: "failed", refusal })).toBe(
    "Couldn't be downloaded. This device is full.",
  );
});

it("says of an expired lesson where one was, and of an ended one why", () => {
  const expired = { state: "expired", expiresAt: until.expiresAt } as const;

  expect(line({ ...expired, position: 200 })).toBe(`Expired ${day}. You were at 3:20.`);
  expect(line(expired)).toBe(`Expired ${day}. Your progress and notes are kept.`);
  const refusal = { code: "X", title: "", message: "You were refunded." };
  expect(line({ state: "ended", refusal })).toBe("You were refunded.");
});

it("gives each state an icon and words of its own, and the button its five", () => {
  const states = ["waiting", "downloading", "paused", "failed", "expired", "ended"] as const;
  const looks = states.map((state) => lookOf(storedLesson({ state })).icon);
  expect(new Set(looks).size).toBe(states.length);

  const half = { size: 100, received: 64 };
  expect(buttonOf(null).label).toBe("Download");
  expect(buttonOf(storedLesson({ ...half, state: "downloading" })).label).toBe("Downloading 64%");
  expect(buttonOf(storedLesson({ ...half, state: "paused" })).label).toBe("Paused at 64%");
  expect(buttonOf(storedLesson()).label).toBe("On this device");
  expect(buttonOf(storedLesson({ state: "expired" })).label).toBe("Expired, renew");
});

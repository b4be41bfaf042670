import { afterEach, expect, it } from "vitest";

import { setMessages, t, tn } from "../i18n";
import {
  bytes,
  clock,
  dateAndTime,
  dayNumber,
  duration,
  longDate,
  relativeTime,
  spokenTime,
  waitingTime,
  timeOfDay,
} from "./index";

afterEach(() => setMessages({}, "en"));

it.each([
  [0, "0:00"],
  [59.9, "0:59"],
  [60, "1:00"],
  [402, "6:42"],
  [3599, "59:59"],
  [3723, "1:02:03"],
  [36_000, "10:00:00"],
  [-3, "0:00"],
  [Number.NaN, "0:00"],
  [Number.POSITIVE_INFINITY, "0:00"],
])("writes %d seconds on a clock as %s", (seconds, text) => {
  expect(clock(seconds)).toBe(text);
});

it.each([
  [0, "1 min"],
  [29, "1 min"],
  [720, "12 min"],
  [3569, "59 min"],
  [3571, "1 h"],
  [22_200, "6 h 10 min"],
  [Number.NaN, "1 min"],
])("writes a length of %d seconds as %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text.replaceAll(" ", "\u00a0"));
});

it.each([
  [0, "0 seconds"],
  [1, "1 second"],
  [60, "1 minute"],
  [402, "6 minutes 42 seconds"],
  [3601, "1 hour 1 second"],
  [7385, "2 hours 3 minutes 5 seconds"],
])("says %d seconds as %s", (seconds, text) => {
  expect(spokenTime(seconds)).toBe(text);
});

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  [-hour, "just now"],
  [0, "just now"],
  [minute - 1, "just now"],
  [minute, "1m ago"],
  [hour - 1, "59m ago"],
  [hour, "1h ago"],
  [day - 1, "23h ago"],
  [day, "1d ago"],
  [7 * day - 1, "6d ago"],
  [7 * day, "1w ago"],
  [30 * day - 1, "4w ago"],
  [30 * day, "1mo ago"],
  [365 * day - 1, "12mo ago"],
  [365 * day, "1y ago"],
  [800 * day, "2y ago"],
])("writes %d ms ago as %s", (age, text) => {
  const now = Date.UTC(2026, 10, 20);

  expect(relativeTime(now - age, now)).toBe(text);
  expect(relativeTime(new Date(now - age).toISOString(), now)).toBe(text);
});

it("writes an invalid time as just now", () => {
  expect(relativeTime("yesterday-ish")).toBe("just now");
});

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1,023 bytes"],
  [1024, "1 KB"],
  [1536, "1.5 KB"],
  [1024 * 1024 - 1, "1 MB"],
  [1.4 * 1024 ** 3, "1.4 GB"],
  [5 * 1024 ** 3, "5 GB"],
  [2 * 1024 ** 5, "2 PB"],
  [3000 * 1024 ** 5, "3,000 PB"],
])("writes %d bytes as %s", (count, text) => {
  expect(bytes(count)).toBe(text);
});

it("writes dates day first", () => {
  const date = new Date(2026, 2, 14, 18, 31);

  expect(longDate(date)).toBe("14 March 2026");
  expect(dateAndTime(date)).toBe("14 March 2026 at 18:31");
});

it("fills the placeholders of a sentence and leaves unknown ones", () => {
  expect(t("Lesson {number} of {total}", { number: 2 })).toBe("Lesson 2 of {total}");
});

it("uses the messages of the page, with plural forms", () => {
  setMessages(
    {
      "{count} minute": { one: "{count} минута", few: "{count} минуты", many: "{count} минут" },
      "just now": "только что",
    },
    "ru",
  );

  expect(relativeTime(Date.now())).toBe("только что");
  expect([1, 2, 5, 21].map((n) => tn("{count} minute", "{count} minutes", n))).toEqual([
    "1 минута",
    "2 минуты",
    "5 минут",
    "21 минута",
  ]);
  expect(t("Not translated")).toBe("Not translated");
});

it("writes a moment by the clock of the profile, as pages do, not by that of the browser", () => {
  // Tests run in UTC; the attempt below reads 08:28 on a page of a reader in Vienna.
  document.head.innerHTML = '<meta name="study-user" content="u1" data-zone="Europe/Vienna">';
  const moment = "2026-07-14T22:28:00Z";
  expect(dateAndTime(moment)).toBe("15 July 2026 at 00:28");
  expect(longDate(moment)).toBe("15 July 2026");
  expect(timeOfDay(moment)).toBe("00:28");
  expect(dayNumber(moment) - dayNumber("2026-07-14T21:59:00Z")).toBe(1);

  document.head.innerHTML = '<meta name="study-user" content="u1" data-zone="Mars/Olympus">';
  expect(longDate(moment)).toMatch(/July 2026$/);
  document.head.innerHTML = "";
});

it.each([
  [0.2, "1 second"],
  [90, "90 seconds"],
  [91, "2 minutes"],
  [5401, "2 hours"],
  [86400, "24 hours"],
  [200000, "3 days"],
])("says %s seconds to wait as %s", (seconds, text) => {
  expect(waitingTime(seconds)).toBe(text);
});

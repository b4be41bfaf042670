import { expect, it } from "vitest";

import { chooseSize } from "../qualities";
import { MB, storableLesson, storedLesson } from "../testing/controls";
import {
  chooseQuality,
  findAddable,
  findNext,
  groupByCourse,
  percentOf,
  qualitiesOf,
  sizeToCome,
  sortForClearing,
} from "./picking";

const uidsOf = (lessons: readonly { uid: string }[]): string[] => lessons.map(({ uid }) => uid);

it("takes the next lower quality where a lesson lacks one, or its lowest", () => {
  const lesson = storableLesson();
  const text = storableLesson({ sizes: [{ quality: "", size: MB }] });

  expect(chooseSize(lesson, "720p")?.size).toBe(100 * MB);
  expect(chooseSize(lesson, "480p")?.size).toBe(10 * MB);
  expect(
    chooseSize(storableLesson({ sizes: [{ quality: "1080p", size: 7 }] }), "audio")?.size,
  ).toBe(7);
  expect(chooseSize(text, "720p")?.size).toBe(MB);
  expect(qualitiesOf([lesson, text])).toEqual(["1080p", "720p", "audio"]);
  expect(chooseQuality(["1080p", "audio"], "720p")).toBe("audio");
  expect(chooseQuality(["1080p"], "480p")).toBe("1080p");
});

it("offers what is storable and not here, again if it was taken away", () => {
  const lessons = [
    storableLesson({ uid: "a" }),
    storableLesson({ uid: "b" }),
    storableLesson({ uid: "c" }),
    storableLesson({ uid: "d", sizes: [] }),
    storableLesson({ uid: "e", refusal: { code: "X", title: "", message: "" } }),
  ];
  const stored = [storedLesson({ uid: "a" }), storedLesson({ uid: "b", state: "ended" })];

  expect(uidsOf(findAddable(lessons, stored))).toEqual(["b", "c"]);
});

it("finds the next lessons after those that are here or completed", () => {
  const lessons = ["a", "b", "c", "d", "e"].map((uid) =>
    storableLesson({ uid, is_completed: uid === "b" }),
  );

  expect(uidsOf(findNext(lessons, [], 2))).toEqual(["c", "d"]);
  expect(uidsOf(findNext(lessons, [storedLesson({ uid: "d" })], 2))).toEqual(["e"]);
  // Nothing follows: what was left out.
  expect(uidsOf(findNext(lessons, [storedLesson({ uid: "e" })], 2))).toEqual(["a", "c"]);
  expect(uidsOf(findNext(lessons, [], 9, "c"))).toEqual(["d", "e"]);
  expect(findNext(lessons, [], 9, "e")).toEqual([]);
});

it("lists what is to learn in order, and finished lessons after it, the latest first", () => {
  const other = { ...storedLesson().course, slug: "geology" };
  const groups = groupByCourse([
    storedLesson({ uid: "a", isCompleted: true }),
    storedLesson({ uid: "b", isCompleted: true }),
    storedLesson({ uid: "x", course: other }),
    storedLesson({ uid: "c" }),
    storedLesson({ uid: "d", state: "waiting", isCompleted: true }),
  ]);

  expect(groups.map(({ lessons }) => uidsOf(lessons))).toEqual([["c", "d", "b", "a"], ["x"]]);
});

it("clears expired lessons first, then finished ones, then the oldest", () => {
  const sorted = sortForClearing([
    storedLesson({ uid: "new", storedAt: 9 }),
    storedLesson({ uid: "old", storedAt: 1 }),
    storedLesson({ uid: "done", storedAt: 5, isCompleted: true }),
    storedLesson({ uid: "expired", storedAt: 8, state: "expired" }),
    storedLesson({ uid: "nothing", received: 0, state: "waiting" }),
  ]);

  expect(uidsOf(sorted)).toEqual(["expired", "done", "old", "new"]);
});

it("counts what is still to come, and never a percentage beyond what has arrived", () => {
  const half = storedLesson({ state: "downloading", size: 100, received: 99 });

  expect(sizeToCome([half, storedLesson({ state: "failed", received: 1 }), storedLesson()])).toBe(
    1,
  );
  expect(percentOf(half)).toBe(99);
  expect(percentOf(storedLesson({ size: 0, received: 0 }))).toBe(0);
  expect(percentOf(storedLesson({ size: 10, received: 20 }))).toBe(100);
});

import { expect, it } from "vitest";

import { merge, secondsIn, WatchedSeconds } from "./watched";

function play(watched: WatchedSeconds, from: number, to: number, step = 0.25): void {
  for (let time = from; time < to; time += step) watched.at(time);
  watched.at(to);
}

it("counts what was played", () => {
  const watched = new WatchedSeconds();
  play(watched, 0, 12);

  expect(watched.pairs).toEqual([[0, 12]]);
});

it("does not count skipped seconds", () => {
  const watched = new WatchedSeconds();
  play(watched, 0, 10);
  watched.stop();
  play(watched, 60, 70);

  expect(watched.pairs).toEqual([
    [0, 10],
    [60, 70],
  ]);
  expect(secondsIn(watched.pairs)).toBe(20);
});

it("notices a seek without an event", () => {
  const watched = new WatchedSeconds();
  play(watched, 0, 10);
  play(watched, 60, 70);
  play(watched, 30, 35);

  expect(watched.pairs).toEqual([
    [0, 10],
    [30, 35],
    [60, 70],
  ]);
});

it("counts a repeated second once", () => {
  const watched = new WatchedSeconds();
  for (const from of [0, 5, 3]) {
    play(watched, from, from + 10);
    watched.stop();
  }

  expect(watched.pairs).toEqual([[0, 15]]);
});

it("counts a second once half of it was played", () => {
  const watched = new WatchedSeconds();
  play(watched, 10.4, 10.8);
  watched.stop();
  play(watched, 20.6, 22.4);

  expect(watched.pairs).toEqual([
    [10, 11],
    [21, 22],
  ]);
});

it("counts all seconds at double speed and with rare events", () => {
  const watched = new WatchedSeconds();
  play(watched, 0, 60, 2);

  expect(watched.pairs).toEqual([[0, 60]]);
});

it("counts nothing while the time does not change", () => {
  const watched = new WatchedSeconds();
  for (let times = 0; times < 100; times += 1) watched.at(42);

  expect(watched.pairs).toEqual([]);
});

it("joins what overlaps or touches, in any order", () => {
  expect(
    merge([
      [20, 30],
      [0, 5],
      [5, 8],
      [25, 40],
      [9, 9],
      [12, 11],
    ]),
  ).toEqual([
    [0, 8],
    [20, 40],
  ]);
});

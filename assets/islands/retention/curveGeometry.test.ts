import { expect, it } from "vitest";

import { bandPath, curvePath, leftOf, secondAt, secondOfKey, usualAt } from "./curveGeometry";

it("draws a curve from edge to edge", () => {
  expect(curvePath([100, 50, 0])).toBe("M0 0L0 0L50 50L100 100L100 100");
  expect(curvePath([])).toBe("");
  expect(curvePath([40])).toBe("M0 60L0 60L100 60");
});

it("draws a long video by the means of its seconds", () => {
  const path = curvePath(Array.from({ length: 7200 }, (_, second) => (second % 2 ? 100 : 0)));
  const points = path.split("L");
  expect(points.length).toBeLessThan(1000);
  expect(points.slice(1, -1).every((point) => point.endsWith(" 50"))).toBe(true);
});

it("draws what is usual as an area", () => {
  expect(
    bandPath([
      [20, 90],
      [10, 60],
    ]),
  ).toBe("M0 10L100 40L100 90L0 80z");
});

it("finds seconds by places, and places by seconds", () => {
  expect([secondAt(-1, 61), secondAt(0.5, 61), secondAt(2, 61)]).toEqual([0, 30, 60]);
  expect([leftOf(30, 61), leftOf(90, 61), leftOf(0, 1)]).toEqual([50, 100, 0]);
  const band: [number, number][] = Array.from({ length: 101 }, (_, at) => [at, at + 5]);
  expect(usualAt(band, 30, 61)).toEqual([50, 55]);
});

it.each([
  ["ArrowRight", 15],
  ["ArrowLeft", 5],
  ["PageUp", 40],
  ["Home", 0],
  ["End", 59],
  ["PageDown", 0],
])("moves with %s to second %d", (key, second) => {
  expect(secondOfKey(key, 10, 60)).toBe(second);
});

it("leaves other keys alone", () => {
  expect(secondOfKey("a", 10, 60)).toBeNull();
});

import { expect, it } from "vitest";

import { matchLessons, similarityOf } from "./matchLessons";
import { lessonOf } from "./testing";

const lesson = (number: string, title: string, course = "Linear Algebra") =>
  lessonOf({ uid: `${course} ${number}`, number, title, course_title: course });

const lessons = [
  lesson("1.1", "Welcome"),
  lesson("2.4", "Eigenvectors, seen before named"),
  lesson("2.10", "Recap and questions"),
  lesson("3.5", "Rank and nullity"),
  lesson("4.1", "Крок за кроком"),
  lesson("4.2", "線形代数の基礎"),
  lesson("4.3", "2001: A space odyssey"),
];

function match(...paths: string[]): (string | null)[] {
  const files = paths.map((path) => ({
    name: path.split("/").at(-1) ?? "",
    path: path.includes("/") ? path : "",
  }));
  const found = matchLessons(files, lessons);
  return files.map((_, at) => found.get(at)?.number ?? null);
}

it.each([
  ["3-05-rank-and-nullity.mov", "3.5"],
  ["3.5 Rank.mp4", "3.5"],
  ["S03E05.mp4", "3.5"],
  ["Lesson 2.10.mp4", "2.10"],
  ["03 Vectors/05 Rank.mp4", "3.5"],
  ["rank and nullity (final cut).mp4", "3.5"],
  ["Rank & Nullity.mp4", "3.5"],
  ["RANK_AND_NULLITY_v2.MP4", "3.5"],
  ["Крок за кроком.mp4", "4.1"],
  ["крок_за_кроком.mp4", "4.1"],
  ["線形代数の基礎.mp4", "4.2"],
  ["٣-٥.mp4", "3.5"], // Arabic digits
  ["2001 A Space Odyssey.mp4", "4.3"],
  ["3-05-take-two.mp4", "3.5"], // by its number alone: shown, and one can change it
  ["GX010042.MP4", null],
  ["2024-03-14 recording.mp4", null],
  ["office-hours-march.mp4", null],
  ["1080p.mp4", null],
  [".mp4", null],
])("%s is for lesson %s", (name, number) => {
  expect(match(name)).toEqual([number]);
});

it("gives no lesson two files, and leaves both without one if they are alike", () => {
  expect(match("3-05-rank-and-nullity.mov", "3-05-rank-and-nullity.mp4")).toEqual([null, null]);
  expect(match("3.5.mp4", "Rank and nullity.mp4", "1-1.mp4")).toEqual([null, "3.5", "1.1"]);
});

it("takes the course that the folder or the other files are of", () => {
  const both = [...lessons, lesson("3.5", "Tides", "Rivers"), lesson("1.1", "Springs", "Rivers")];
  const match = (...names: string[]) => {
    const files = names.map((path) => ({ name: path.split("/").at(-1) ?? "", path }));
    return [...matchLessons(files, both).values()].map(({ uid }) => uid);
  };

  expect(match("3.5.mp4")).toEqual([]);
  expect(match("3.5.mp4", "1.1 Springs.mp4").sort()).toEqual(["Rivers 1.1", "Rivers 3.5"]);
  expect(match("rivers/3.5.mp4")).toEqual(["Rivers 3.5"]);
});

it("measures what two names have in common", () => {
  expect(similarityOf("rank", "rank")).toBe(1);
  expect(similarityOf("", "")).toBe(0);
  expect(similarityOf("a", "b")).toBe(0);
  expect(similarityOf("rank", "tank")).toBeCloseTo(2 / 3);
});

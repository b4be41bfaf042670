import { expect, it } from "vitest";

import { addPiece, plainText, sentencesAfter } from "./merging";

it("adds what is new of a piece, and nothing across a gap", () => {
  expect(addPiece("abc", 3, "d")).toBe("abcd");
  expect(addPiece("abc", 1, "bcde")).toBe("abcde");
  expect(addPiece("abc", 0, "ab")).toBe("abc");
  expect(addPiece("abc", 4, "e")).toBeNull();
});

it("removes Markdown and citations", () => {
  expect(plainText("## Why\n> It **grows** [1].\n\n`x` \\[2\\]")).toBe("Why\nIt grows.\n\nx [2]");
});

it("says whole sentences once", () => {
  const text = "It grows 2.5 times [1]. Then it tur";
  const first = sentencesAfter(text, 0, false);
  expect(first.sentences).toEqual(["It grows 2.5 times."]);
  const last = sentencesAfter(`${text}ns.`, first.until, true);
  expect(last.sentences).toEqual(["Then it turns."]);
  expect(sentencesAfter(`${text}ns.`, last.until, true).sentences).toEqual([]);
});

it("takes linear time", () => {
  const began = performance.now();
  sentencesAfter("x. ".repeat(50_000), 0, true);
  plainText("[".repeat(100_000) + "\\".repeat(100_000));
  expect(performance.now() - began).toBeLessThan(2_000);
});

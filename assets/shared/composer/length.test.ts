import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

import { lengthOf } from "./length";

type Case = { name: string; parts: [string, number][]; length: number };

const table = path.join(import.meta.dirname, "../../../tests/data/post_lengths.json");
const cases = JSON.parse(readFileSync(table, "utf8")) as Case[];

it.each(cases.map((one) => [one.name, one] as const))("counts as the server: %s", (_, one) => {
  expect(lengthOf(one.parts.map(([piece, times]) => piece.repeat(times)).join(""))).toBe(
    one.length,
  );
});

it("reads the table of the server", () => {
  expect(cases.length).toBeGreaterThan(15);
});

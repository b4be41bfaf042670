import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

import { type NumberFormat, readNumber } from "./numbers";

type Case = {
  text: string;
  format: string;
  unit?: string;
  shown: string | null;
  other?: string;
};

const table = path.join(import.meta.dirname, "../../../tests/data/numbers.json");
const { formats, cases } = JSON.parse(readFileSync(table, "utf8")) as {
  formats: Record<string, NumberFormat>;
  cases: Case[];
};

it("reads numbers as the server does", () => {
  for (const { text, format, unit, shown, other } of cases) {
    const expected = shown === null ? null : { shown, other: other ?? "" };
    expect(readNumber(text, formats[format]!, unit), text).toEqual(expected);
  }
});

import { expect, it } from "vitest";

import { continuationOf } from "./lists";

it.each([
  ["- one", "- ", false],
  ["* one", "* ", false],
  ["9. nine", "10. ", false],
  ["2) two", "3) ", false],
  ["  - nested", "  - ", false],
  ["> said", "> ", false],
  ["> - said", "> - ", false],
  ["- ", "- ", true],
  ["> ", "> ", true],
])("continues %j with %j", (line, prefix, isEmpty) => {
  expect(continuationOf(line)).toEqual({ prefix, isEmpty });
});

it("leaves other lines alone", () => {
  for (const line of ["", "text", "-no item", "1.5 m", "#heading", "---"])
    expect(continuationOf(line)).toBeNull();
});

import { expect, it } from "vitest";

import { triggerAt } from "./completion";

const at = (text: string) => triggerAt(text, text.length);

it.each([
  ["@", "person", "", 0],
  ["hi @am", "person", "am", 3],
  ["(@wen.h", "person", "wen.h", 1],
  ["**@élo", "person", "élo", 2],
  ["see #eig", "topic", "eig", 4],
  ["one\n#ei", "topic", "ei", 4],
  ["`x` @am", "person", "am", 4],
  ["```\nx\n```\n@am", "person", "am", 10],
])("finds what is completed in %j", (text, kind, query, from) => {
  expect(at(text)).toEqual({ kind, query, from });
});

it.each([
  "me@a.example",
  "# Title",
  "#",
  "#a",
  "a@",
  "`@am",
  "```\n@am",
  "@am ",
  "https://x/@am",
  "@" + "a".repeat(31),
])("completes nothing in %j", (text) => {
  expect(at(text)).toBeNull();
});

it("looks at the caret, not at the end", () => {
  expect(triggerAt("@am and more", 3)).toEqual({ kind: "person", query: "am", from: 0 });
  expect(triggerAt("@am and more", 6)).toBeNull();
});

import { expect, it } from "vitest";

import { openLine } from "./openLine";

function open(search: string, text = "one\ntwo\n\nfour"): string {
  document.body.innerHTML = '<textarea id="id_body"></textarea>';
  const field = document.querySelector("textarea");
  if (!field) throw new Error("no field");
  field.value = text;
  openLine(field, { search, hash: "#id_body" });
  return document.activeElement === field
    ? field.value.slice(field.selectionStart, field.selectionEnd)
    : "not focused";
}

it("selects the line that a finding is about", () => {
  expect(open("?line=2")).toBe("two");
  expect(open("?line=4")).toBe("four");
  expect(open("?line=3")).toBe("");
});

it.each(["", "?line=0", "?line=x", "?line=99", "?line=-1"])(
  "leaves the page alone for %s",
  (search) => {
    expect(open(search)).toBe("not focused");
  },
);

it("selects a line once, and only of the text that is meant", () => {
  expect(open("?line=2")).toBe("two");
  const field = document.querySelector("textarea")!;
  field.setSelectionRange(0, 0);
  openLine(field, { search: "?line=4", hash: "#id_body" });
  openLine(field, { search: "?line=4", hash: "#id_other" });
  expect(field.selectionEnd).toBe(0);
});

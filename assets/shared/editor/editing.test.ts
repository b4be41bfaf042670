import { describe, expect, it } from "vitest";

import { editOf, labelOf, markdownOf, type Tool } from "./editing";
import { createPlainSurface } from "./surface";

/** Apply a tool to a text whose selection is marked by "|", and mark the selection of the result. */
function after(tool: Tool, marked: string): string {
  const start = marked.indexOf("|");
  const end = marked.lastIndexOf("|") - (marked.lastIndexOf("|") > start ? 1 : 0);
  const text = marked.replaceAll("|", "");
  const edit = editOf(tool, { text, start, end });
  const next = text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
  const bar = edit.start === edit.end ? "" : "|";
  return `${next.slice(0, edit.start)}|${next.slice(edit.start, edit.end)}${bar}${next.slice(edit.end)}`;
}

describe("the tools", () => {
  it.each<[Tool, string, string]>([
    ["bold", "a |word| b", "a **|word|** b"],
    ["bold", "a **|word|** b", "a |word| b"],
    ["bold", "|", "**|**"],
    ["italic", "a |word| b", "a *|word|* b"],
    ["italic", "a *|word|* b", "a |word| b"],
    ["italic", "a **|word|** b", "a ***|word|*** b"],
    ["italic", "a ***|word|*** b", "a **|word|** b"],
    ["code", "|x = 1|", "`|x = 1|`"],
    ["code", "a\n|x\ny|\nb", "a\n```\n|x\ny|\n```\nb"],
    ["code", "see |x\ny| b", "see \n```\n|x\ny|\n```\n b"],
    ["formula", "|x^2|", "$|x^2|$"],
    ["formula", "|a\nb|", "$$\n|a\nb|\n$$"],
    ["list", "|one\ntwo|", "|- one\n- two|"],
    ["list", "|- one\n- two|", "|one\ntwo|"],
    ["list", "text\n\non|e", "text\n\n- one|"],
    ["list", "text\non|e", "text\n\n- one|"],
    ["numbers", "|one\ntwo\n|", "|1. one\n2. two|\n"],
    ["numbers", "|- one\n- two|", "|1. one\n2. two|"],
    ["quote", "|one\n\ntwo|", "|> one\n> \n> two|"],
    ["link", "a |word| b", "a [word](|https://|) b"],
    ["link", "|https://a.example/x|", "[|](https://a.example/x)"],
    ["link", "|", "[](|https://|)"],
  ])("%s: %j", (tool, before, expected) => {
    expect(after(tool, before)).toBe(expected);
  });
});

it("replaces a part of a field and says so to those who listen", () => {
  const field = document.createElement("textarea");
  document.body.append(field);
  field.value = "a word b";
  field.setSelectionRange(2, 6);
  const values: string[] = [];
  field.addEventListener("input", () => values.push(field.value));

  const surface = createPlainSurface(field);
  surface.apply(editOf("bold", surface.read()));

  expect(values).toEqual(["a **word** b"]);
  expect(surface.read()).toEqual({ text: "a **word** b", start: 4, end: 8 });
});

it("shows images and links to other files", () => {
  expect(markdownOf({ name: "my [x].png", type: "image/png" }, "7")).toBe(
    "![my x .png](/forum/images/7)",
  );
  expect(markdownOf({ name: "a.pdf", type: "application/pdf" }, "7")).toBe(
    "[a.pdf](/forum/files/7)",
  );
  expect(labelOf("[]")).toBe("file");
});

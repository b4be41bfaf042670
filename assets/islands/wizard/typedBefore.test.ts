import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";

import { readTyped } from "./typedBefore";

const subjects = [
  { value: "a", label: "A" },
  { value: "b", label: "B" },
];

it("takes what was typed into the page's form, and nothing that the page came with", async () => {
  document.body.innerHTML = `<form>
    <input name="title" value="Old"><textarea name="summary">Short</textarea>
    <select name="subject"><option value="1" selected>A</option><option value="2">B</option></select>
    <input type="radio" name="difficulty" value="one" checked><input type="radio" name="difficulty" value="two">
    <input name="outcomes" value="First"><input name="outcomes" value="">
    <input type="checkbox" name="is_announced"></form>`;
  const field = (name: string, index = 0) =>
    document.querySelectorAll<HTMLInputElement>(`[name="${name}"]`)[index] ?? document.body;
  expect(readTyped(document.body, subjects)).toEqual({});

  await userEvent.type(field("title"), "er");
  await userEvent.selectOptions(field("subject"), "2");
  await userEvent.click(field("difficulty", 1));
  await userEvent.type(field("outcomes", 1), "Second");
  await userEvent.click(field("is_announced"));
  expect(readTyped(document.body, subjects)).toEqual({
    title: "Older",
    subject: "b",
    difficulty: "two",
    outcomes: ["First", "Second"],
    is_announced: true,
  });
});

import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";

import { readTyped } from "./typedBefore";

const subjects = [
  { value: "a", label: "A" },
  { value: "b", label: "B" },
];
const prerequisites = [{ value: "arithmetic", label: "Arithmetic" }];

it("takes what was typed into the page's form, and nothing that the page came with", async () => {
  document.body.innerHTML = `<form>
    <input name="title" value="Old"><textarea name="summary">Short</textarea>
    <select name="subject"><option value="1" selected>A</option><option value="2">B</option></select>
    <input type="radio" name="difficulty" value="one" checked><input type="radio" name="difficulty" value="two">
    <input name="outcomes" value="First"><input name="outcomes" value=""><input name="outcomes" value="">
    <label><input type="checkbox" name="prerequisites" value="7"><span>Arithmetic</span></label>
    <input type="radio" name="pricing" value="free" checked><input type="radio" name="pricing" value="one_time">
    <input name="price"><input type="radio" name="plate_variant" value="0" checked>
    <input type="radio" name="plate_variant" value="2"><input type="checkbox" name="is_announced"></form>`;
  const field = (name: string, index = 0) =>
    document.querySelectorAll<HTMLInputElement>(`[name="${name}"]`)[index] ?? document.body;
  expect(readTyped(document.body, { subjects, prerequisites })).toEqual({});

  await userEvent.type(field("title"), "er");
  await userEvent.selectOptions(field("subject"), "2");
  await userEvent.click(field("difficulty", 1));
  await userEvent.type(field("outcomes", 1), "Second");
  await userEvent.click(field("is_announced"));
  await userEvent.click(field("prerequisites"));
  await userEvent.click(field("pricing", 1));
  await userEvent.type(field("price"), "12");
  await userEvent.click(field("plate_variant", 1));
  expect(readTyped(document.body, { subjects, prerequisites })).toEqual({
    title: "Older",
    subject: "b",
    difficulty: "two",
    outcomes: ["First", "Second"],
    is_announced: true,
    prerequisites: ["arithmetic"],
    pricing: { kind: "one_time", price: "12" },
    plate_variant: 2,
  });
});

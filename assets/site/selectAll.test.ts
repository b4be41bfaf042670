import { beforeEach, expect, test } from "vitest";

import { startSelectAll } from "./selectAll";

function start(): { all: HTMLInputElement; boxes: HTMLInputElement[]; form: HTMLFormElement } {
  document.body.innerHTML = `<form data-selects><table><thead><tr><th><input type="checkbox" data-select-all></th></tr></thead>
    <tbody><tr><td><input type="checkbox" name="learner" value="a"></td></tr><tr><td><input type="checkbox" name="learner" value="b"></td></tr></tbody></table></form>`;
  const form = document.querySelector("form")!;
  startSelectAll(form);
  return {
    all: form.querySelector("[data-select-all]")!,
    boxes: [...form.querySelectorAll<HTMLInputElement>("[name=learner]")],
    form,
  };
}

beforeEach(() => {
  document.body.innerHTML = "";
});

test("the box above the table checks all rows, and none", () => {
  const { all, boxes } = start();
  all.click();
  expect(boxes.map((box) => box.checked)).toEqual([true, true]);
  all.click();
  expect(boxes.map((box) => box.checked)).toEqual([false, false]);
});

test("it follows the rows", () => {
  const { all, boxes } = start();
  boxes[0]?.click();
  expect([all.checked, all.indeterminate]).toEqual([false, true]);
  boxes[1]?.click();
  expect([all.checked, all.indeterminate]).toEqual([true, false]);
});

test("a cleared selection leaves it unchecked", async () => {
  const { all, boxes, form } = start();
  boxes[0]?.click();
  form.reset();
  await new Promise((resolve) => setTimeout(resolve));
  expect([all.checked, all.indeterminate]).toEqual([false, false]);
});

import { beforeEach, expect, it, vi } from "vitest";

import { enhanceForm } from "./lines";

const line = (text: string, index: number): string => `<li>
  <label><input type="radio" name="right" value="${index}"><span class="vh">Answer ${index + 1} is correct</span></label>
  <input type="hidden" name="line_id" value="${text}"><span data-line-editor="choice"><textarea name="line" aria-label="Answer ${index + 1}">${text}</textarea></span>
  ${["up", "down", "remove"].map((act) => `<button name="act" value="${act}:${index}" aria-label="${act} answer ${index + 1}">x</button>`).join("")}
</li>`;

let form: HTMLFormElement;
const sent = vi.fn();
const texts = (): string[] => new FormData(form).getAll("line") as string[];
const press = (name: string): void => form.querySelector<HTMLElement>(name)?.click();

beforeEach(() => {
  document.body.innerHTML = `<form><ol data-lines>${["a", "b", "c"].map(line).join("")}</ol><button name="more">+</button></form>`;
  form = document.querySelector("form")!;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sent();
  });
  sent.mockClear();
  enhanceForm(form, new AbortController().signal);
});

it("moves a line with its id, and keeps which one is right", () => {
  form.querySelectorAll<HTMLInputElement>("[name=right]")[0]?.click();
  press("[value='down:0']");

  expect(texts()).toEqual(["b", "a", "c"]);
  expect(new FormData(form).getAll("line_id")).toEqual(["b", "a", "c"]);
  expect(new FormData(form).get("right")).toBe("1");
  expect(
    form.querySelectorAll("li")[1]?.querySelector("[name=line]")?.getAttribute("aria-label"),
  ).toBe("Answer 2");
  expect(form.querySelector<HTMLButtonElement>("[value='up:0']")?.disabled).toBe(true);
  expect(sent).not.toHaveBeenCalled();
});

it("removes and adds lines, which are empty and numbered", () => {
  press("[value='remove:1']");
  press("[name=more]");

  expect(texts()).toEqual(["a", "c", ""]);
  expect(document.activeElement).toBe(form.querySelectorAll("li")[2]?.querySelector("[name=line]"));
  press("[value='remove:0']");
  press("[value='remove:0']");
  press("[value='remove:0']");
  expect(texts()).toEqual([""]);
});

it("tells the form that it has changed", () => {
  const changed = vi.fn();
  form.addEventListener("input", changed);
  press("[value='up:2']");
  expect(changed).toHaveBeenCalledOnce();
});

it("leads with Enter to the next choice, and from the last one to a new one", () => {
  const fields = (): HTMLTextAreaElement[] => [...form.querySelectorAll("textarea")];
  const enter = (): boolean | undefined =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }),
    );
  fields()[1]?.focus();
  expect(enter()).toBe(false);
  expect(document.activeElement).toBe(fields()[2]);
  enter();
  expect(texts()).toEqual(["a", "b", "c", ""]);
  expect(document.activeElement).toBe(fields()[3]);
});

it("puts a pasted choice of several lines into one", async () => {
  const field = form.querySelector("textarea")!;
  field.value = "one \n two";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await Promise.resolve();
  expect(texts()[0]).toBe("one two");
});

it("adds a line without what an editor has drawn on the last one", () => {
  const last = [...form.querySelectorAll("[data-line-editor]")].at(-1);
  last?.insertAdjacentHTML("beforeend", "<div class='ed'>c</div>");
  last?.querySelector("textarea")?.classList.add("ed-field");
  press("[name=more]");
  const added = [...form.querySelectorAll("[data-line-editor]")].at(-1);
  expect([...(added?.children ?? [])].map(({ outerHTML }) => outerHTML)).toEqual([
    '<textarea name="line" aria-label="Answer 4" class="">c</textarea>',
  ]);
  expect(texts()).toEqual(["a", "b", "c", ""]);
});

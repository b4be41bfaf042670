import { beforeAll, beforeEach, expect, it } from "vitest";

import { recordEarlyInput } from "./islandStart";

beforeAll(() => recordEarlyInput());

beforeEach(() => {
  const { dataset } = document.documentElement;
  delete dataset.earlyKeys;
  delete dataset.player;
  document.body.innerHTML = `
    <div data-island="player"><button data-start></button></div>
    <a href="#t" data-seek="42.5">0:42</a>
    <ol data-transcript><li><span data-from="7" data-to="9">Words.</span></li></ol>
    <input><textarea></textarea>`;
});

const spot = (): HTMLElement => document.querySelector("[data-island]")!;

function press(
  key: string,
  on: Element = document.body,
  more: KeyboardEventInit = {},
): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  on.dispatchEvent(event);
  return event;
}

it("records keys that nothing has handled, in order", () => {
  for (const key of ["m", "+", "ArrowRight"]) press(key);

  expect(document.documentElement.dataset.earlyKeys).toBe("m + ArrowRight");
});

it.each([
  ["in a text field", "m", "input", {}],
  ["in a text area", "n", "textarea", {}],
  ["with Ctrl", "f", "body", { ctrlKey: true }],
  ["that move the focus", "Tab", "body", {}],
])("records no keys %s", (_, key, on, more) => {
  press(key, document.querySelector(on)!, more);

  expect(document.documentElement.dataset.earlyKeys).toBeUndefined();
});

it("records no handled keys, and none once the player is loaded", () => {
  const hear = (event: Event): void => event.preventDefault();
  document.addEventListener("keydown", hear);
  press("m");
  document.removeEventListener("keydown", hear);
  document.documentElement.dataset.player = "";
  press("m");
  press(" ");

  expect(document.documentElement.dataset.earlyKeys).toBeUndefined();
  expect(spot().dataset.start).toBeUndefined();
});

it("starts with space, without scrolling", () => {
  expect(press(" ").defaultPrevented).toBe(true);
  expect(spot().dataset.start).toBe("");
  expect(spot().querySelector("button")?.getAttribute("aria-busy")).toBe("true");
});

it.each([
  ["a time", "[data-seek]", "42.5"],
  ["a sentence", "[data-from]", "7"],
  ["the start", "[data-start]", ""],
])("starts where %s says", (_, selector, second) => {
  document.querySelector<HTMLElement>(selector)?.click();

  expect(spot().dataset.start).toBe(second);
});

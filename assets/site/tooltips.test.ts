import { expect, it } from "vitest";
import { startTooltips } from "./tooltips";

it("a tooltip opens by a tap or by hovering, one at a time, and closes by Escape and elsewhere", () => {
  document.body.innerHTML = ["a", "b"]
    .map(
      (id) =>
        `<span data-tip id="${id}"><button></button><span class="tip__text" role="tooltip"></span></span>`,
    )
    .join("");
  const box = (id: string) => document.getElementById(id)!;
  const open = () => [...document.querySelectorAll("[data-open]")].map(({ id }) => id);
  const point = (name: string, id: string, pointerType: string) =>
    box(id).dispatchEvent(
      Object.assign(new Event(name, { bubbles: name === "pointerdown" }), { pointerType }),
    );
  startTooltips();

  point("pointerenter", "a", "touch"); // a finger that scrolls past
  expect(open()).toEqual([]);
  box("a").querySelector("button")?.click();
  expect(open()).toEqual(["a"]);
  point("pointerenter", "b", "mouse");
  expect(open()).toEqual(["b"]);

  const escape = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
  document.body.dispatchEvent(escape);
  expect(open()).toEqual([]);
  expect(escape.defaultPrevented).toBe(true);

  box("a").querySelector("button")?.click();
  point("pointerdown", "b", "touch");
  expect(open()).toEqual([]);
  point("pointerenter", "a", "mouse");
  point("pointerleave", "a", "mouse");
  expect(open()).toEqual([]);
});

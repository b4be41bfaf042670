import { beforeEach, expect, it, vi } from "vitest";

import { followDrag } from "./drag";

const onMove = vi.fn();
const onEnd = vi.fn();
let handle: HTMLElement;

beforeEach(() => {
  handle = document.createElement("span");
  handle.setPointerCapture = vi.fn();
  document.body.append(handle);
  followDrag(handle, { pointerId: 7 }, { onMove, onEnd });
});

const send = (type: string): boolean => handle.dispatchEvent(new Event(type));

it("follows the captured pointer until it is released", () => {
  expect(handle.setPointerCapture).toHaveBeenCalledWith(7);
  send("pointermove");
  send("pointerup");
  send("pointermove");

  expect(onMove).toHaveBeenCalledOnce();
  expect(onEnd.mock.calls).toEqual([[true]]);
});

it("ends without a drop when the browser cancels it", () => {
  send("pointercancel");
  send("pointerup");

  expect(onEnd.mock.calls).toEqual([[false]]);
});

it("ends without a drop on Escape, which no other listener receives", () => {
  const other = vi.fn();
  document.body.addEventListener("keydown", other, { once: true });
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));

  expect(onEnd.mock.calls).toEqual([[false]]);
  expect(other).not.toHaveBeenCalled();
});

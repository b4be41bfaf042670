import { expect, it } from "vitest";
import { clampFraming, placeOf } from "./avatarCrop";

it("starts with the middle of the picture", () => {
  const framing = clampFraming(400, 300, { centerX: 200, centerY: 150, zoom: 1 });
  expect(placeOf(400, 300, framing)).toEqual({ x: 0.125, y: 0, size: 1 });
});

it("never shows anything beyond an edge", () => {
  for (const [centerX, centerY] of [
    [-50, -50],
    [900, 900],
  ] as const) {
    const { x, y, size } = placeOf(400, 300, clampFraming(400, 300, { centerX, centerY, zoom: 2 }));
    expect(size).toBe(0.5);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(x * 400 + 150).toBeLessThanOrEqual(400);
    expect(y * 300 + 150).toBeLessThanOrEqual(300);
  }
});

it("limits the zoom to 1 to 4", () => {
  expect(clampFraming(400, 300, { centerX: 200, centerY: 150, zoom: 0.2 }).zoom).toBe(1);
  expect(clampFraming(400, 300, { centerX: 200, centerY: 150, zoom: 40 }).zoom).toBe(4);
});

import { expect, it } from "vitest";
import { maxZoom, overflowOf } from "../shared/pictureCrop";
import { startCoursePicture } from "./coursePicture";

it("a picture reaches beyond the frame where it is not 16:9, and everywhere when zoomed", () => {
  expect(overflowOf(1600, 900, 1)).toEqual({ x: 0, y: 0 });
  expect(overflowOf(3200, 900, 1)).toEqual({ x: 1, y: 0 });
  expect(overflowOf(1600, 900, 3)).toEqual({ x: 2, y: 2 });
  expect(overflowOf(900, 1600, 1).y).toBeCloseTo(16 / 9 / (9 / 16) - 1);
});

it("the zoom leaves a crop of at least 320 pixels", () => {
  expect(maxZoom(640, 360, 300)).toBe(200);
  expect(maxZoom(4000, 3000, 300)).toBe(300);
  expect(maxZoom(200, 100, 300)).toBe(100);
});

it("sliders without room are off, the others crop and say where", () => {
  document.body.innerHTML = `<form><div data-frame><span class="plate"></span><img class="picture__img" hidden></div>
    <input type="file"><fieldset data-crop-controls></fieldset><p data-crop-help hidden></p>
    ${["zoom", "x", "y"].map((name) => `<input type="range" name="${name}" min="${name === "zoom" ? 100 : 0}" max="300" value="${name === "zoom" ? 100 : 50}"><output data-of="${name}"></output>`).join("")}</form>`;
  const form = document.querySelector("form")!;
  const image = form.querySelector("img")!;
  Object.defineProperty(image, "naturalWidth", { value: 3200 });
  Object.defineProperty(image, "naturalHeight", { value: 900 });
  startCoursePicture(form);
  const controls = form.querySelector<HTMLElement>("[data-crop-controls]")!;
  expect(controls.hidden).toBe(true);
  image.dispatchEvent(new Event("load"));
  expect(controls.hidden).toBe(false);
  const slider = (name: string) => form.querySelector<HTMLInputElement>(`input[name="${name}"]`)!;

  expect([slider("x").disabled, slider("y").disabled]).toEqual([false, true]);
  slider("x").value = "100";
  slider("x").dispatchEvent(new Event("input"));

  const frame = form.querySelector<HTMLElement>("[data-frame]")!;
  expect(frame.style.getPropertyValue("--crop-x")).toBe("100%");
  expect(form.querySelector('output[data-of="x"]')?.textContent).toBe("100%");
  expect(image.hidden).toBe(false);
});

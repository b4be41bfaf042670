import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Playback } from "./engine/playback";
import { Scrubber } from "./Scrubber";

const state = { time: 0, duration: 100, buffered: [] };
const playback = { subscribe: () => () => undefined, state, seek: vi.fn() } as unknown as Playback;

beforeEach(() => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 1000, 8));
});
afterEach(() => {
  vi.restoreAllMocks();
});

function show(marks?: string): HTMLElement {
  const place = document.createElement("section");
  if (marks !== undefined) place.dataset.marks = marks;
  document.body.append(place);
  const chapters = [{ start: 0, title: "Beginning" }];
  render(<Scrubber playback={playback} chapters={chapters} storyboard={null} />);
  return screen.getByRole("slider", { name: "Seek" });
}
const hover = (slider: HTMLElement, clientX: number) =>
  fireEvent.pointerMove(slider, { clientX, pointerType: "mouse" });

it("marks the questions of the discussion on the timeline, and names the one under the pointer", async () => {
  const slider = show(
    JSON.stringify([
      [25, "Why <b>there</b>?"],
      [80, "And then?"],
    ]),
  );
  const marks = [...slider.querySelectorAll<HTMLElement>(".scrub__mark")];
  expect(marks.map(({ style }) => style.left)).toEqual(["25%", "80%"]);

  hover(slider, 250);
  await vi.waitFor(() => expect(slider.textContent).toContain("Why <b>there</b>?"));
  hover(slider, 500);
  expect(slider.textContent).toContain("Beginning");
  expect(slider.textContent).not.toContain("there");
});

it("marks nothing without questions", () => {
  expect(show().querySelector(".scrub__mark")).toBeNull();
});

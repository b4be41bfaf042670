import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import { PlayedVideo } from "../../shared/video/playedVideo";
import { Island } from "./index";
import type { RetentionProps } from "./props";

const props: RetentionProps = {
  title: "Vectors",
  learners: 12,
  percents: Array.from({ length: 120 }, (_, second) => 100 - second / 2),
  band: Array.from({ length: 101 }, () => [40, 70]),
  moments: [{ kind: "dip", start: 50, end: 60, peak: 55, size: 12.4 }],
  sources: { master: "/m", audio: null, sound: null },
  poster: null,
  captions: [{ language: "en", label: "English", url: "/en.vtt" }],
};
let play = vi.spyOn(PlayedVideo.prototype, "play");

beforeEach(() => {
  play = vi.spyOn(PlayedVideo.prototype, "play").mockResolvedValue();
});

it("plays where an arrow key leads", () => {
  render(<Island {...props} />);
  const curve = screen.getByRole("slider");
  expect(curve.getAttribute("aria-valuetext")).toBe(
    "0 seconds: watched by 100% of the learners, usual are 40 to 70%",
  );
  fireEvent.keyDown(curve, { key: "ArrowRight" });
  fireEvent.keyDown(curve, { key: "End" });
  fireEvent.keyDown(curve, { key: "x" });
  expect(play.mock.calls).toEqual([[5], [119]]);
});

it("plays where the curve is clicked", () => {
  render(<Island {...props} />);
  const curve = screen.getByRole("slider");
  curve.getBoundingClientRect = () => ({ left: 100, width: 238 }) as DOMRect;
  fireEvent.click(curve, { clientX: 219 });
  expect(play.mock.calls).toEqual([[60]]);
});

it("names what stands out, and plays there", () => {
  render(<Island {...props} />);
  expect(screen.getByText("Dip: skipped by many")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: /0:50–1:00$/ }));
  expect(play.mock.calls).toEqual([[50]]);
});

it("shows the curve of a video that can't be played", () => {
  render(<Island {...props} sources={null} moments={[]} band={null} />);
  expect(screen.getByText(/couldn't be loaded/)).toBeTruthy();
  expect(screen.getByText("Nothing: the curve falls evenly.")).toBeTruthy();
  expect(screen.getByRole("slider").getAttribute("aria-valuetext")).not.toContain("usual");
});

import { beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../../../shared/testing/listeners";
import type { Progress } from "./progress";
import { FakeVideo } from "./testing/video";
import { reportProgress } from "./reportProgress";

forgetListenersAfterEach();

let video: FakeVideo;
let saves: Progress[];
const flush = vi.fn();
const leave = vi.fn<(progress: Progress) => void>();
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  video = new FakeVideo();
  saves = [];
  stop = reportProgress(video.asElement(), {
    sink: { save: (progress) => saves.push(progress), flush },
    leave,
  });
});

function setVisibility(state: DocumentVisibilityState): void {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(state);
  document.dispatchEvent(new Event("visibilitychange"));
}

it("reports the place and the seconds that were played", () => {
  video.run(10);
  video.playTo(20);

  expect(saves.at(-1)).toMatchObject({ position: 20, watched: [[10, 20]] });
});

it("does not report a video that is paused, seeking or not loaded", () => {
  video.tell("timeupdate", { currentTime: 5, readyState: 4, paused: true });
  video.tell("timeupdate", { currentTime: 9, paused: false, seeking: true });
  video.tell("timeupdate", { currentTime: 9, seeking: false, readyState: 0 });

  expect(saves).toEqual([]);
});

it("does not count skipped seconds as watched", () => {
  video.run(0);
  video.playTo(10);
  video.tell("seeking", { seeking: true });
  video.tell("seeked", { seeking: false, currentTime: 100 });
  video.playTo(105);

  expect(saves.at(-1)?.watched).toEqual([
    [0, 10],
    [100, 105],
  ]);
});

it.each(["pause", "ended"])("reports at once on %s", (event) => {
  video.run(0);
  video.playTo(8);
  video.tell(event, { paused: true });

  expect(flush).toHaveBeenCalledOnce();
  expect(saves.at(-1)).toMatchObject({ position: 8, watched: [[0, 8]] });
});

it("reports when the page is hidden, and again only if something was played since", () => {
  video.run(0);
  video.playTo(3);
  setVisibility("hidden");
  expect(leave).toHaveBeenCalledOnce();

  dispatchEvent(new Event("pagehide"));
  expect(leave).toHaveBeenCalledOnce();

  video.playTo(5);
  dispatchEvent(new Event("pagehide"));
  expect(leave).toHaveBeenCalledTimes(2);
  expect(leave.mock.lastCall?.[0]).toMatchObject({ position: 5, watched: [[0, 5]] });
});

it("reports nothing for a video that was never played", () => {
  dispatchEvent(new Event("pagehide"));
  stop();

  expect(leave).not.toHaveBeenCalled();
});

it("sends the last progress when stopped, then nothing", () => {
  video.run(0);
  video.playTo(3);
  stop();
  expect(leave).toHaveBeenCalledOnce();
  const count = saves.length;
  video.playTo(9);

  expect(saves).toHaveLength(count);
});

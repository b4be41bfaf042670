import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { availableShortcuts } from "../../shared/shortcuts";
import { forgetListenersAfterEach } from "../../shared/testing/listeners";
import { addressOf, type LessonLink, type PlayerProps } from "./api";
import { Player } from "./engine/player";
import type { Post } from "./engine/progress";
import { defaults, readSettings, writeSettings } from "./engine/settings";
import { createNativeStream } from "../../shared/video/native";
import type { Stream, StreamEvents } from "../../shared/video/stream";
import { AudioStage } from "./AudioStage";
import { playerShortcuts } from "./useShortcuts";

forgetListenersAfterEach();

const stream = {
  load: vi.fn<Stream["load"]>(),
  choose: vi.fn<Stream["choose"]>(() => false),
  retry: vi.fn<Stream["retry"]>(),
  destroy: vi.fn<Stream["destroy"]>(),
};
const sources = { master: "/m/master.m3u8", audio: "/m/audio.m3u8", sound: "/m/sound.m4a" };
const next = { uid: "two", number: "1.2", title: "Grids", url: "/learn/c/grids", kind: "video" };
const lesson = {
  uid: "one",
  number: "1.1",
  title: "Arrows",
  url: "/learn/c/arrows",
  course: { title: "Algebra", slug: "c" },
  sources: { ...sources, poster: "/m/poster.jpg", captions: [], storyboard: null },
  duration: 90,
  position: 30,
  may_save: true,
  previous: null,
  next: { ...next, state: "available" },
  chapters: [{ start: 0, title: "Beginning" }],
  is_listening: true,
} as unknown as PlayerProps;

let events: StreamEvents;
const post = vi.fn<Post>(() => new Promise(() => undefined));
let leave: () => void;

beforeEach(() => {
  // jsdom plays nothing.
  for (const name of ["load", "play", "pause"] as const)
    vi.spyOn(HTMLMediaElement.prototype, name).mockImplementation(() => Promise.resolve());
});
afterEach(() => leave());

function show(captions: { language: string; label: string; url: string }[] = []): Player {
  const player = new Player(
    { uid: "one", duration: 90, startAt: 30, poster: null, sources, captions, isAudioOnly: true },
    {
      storage: localStorage,
      refresh: () => Promise.resolve(null),
      progress: {
        person: "amara",
        post,
        isTemporary: () => true,
        onSaved: vi.fn(),
        onRefused: vi.fn(),
      },
      createStream: (_, given) => {
        events = given;
        return Promise.resolve(stream);
      },
    },
  );
  leave = player.attach();
  render(
    <AudioStage player={player} lesson={lesson} certificate={null} onNext={() => undefined} />,
  );
  return player;
}
function happen(player: Player, type: string, facts: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(facts))
    Object.defineProperty(player.video, name, { value, configurable: true, writable: true });
  fireEvent(player.video, new Event(type));
}
const press = (name: string): boolean => fireEvent.click(screen.getByRole("button", { name }));

it("plays audio only in an audio element, with the controls of the player", async () => {
  const player = show();
  expect(player.video).toBeInstanceOf(HTMLAudioElement);
  expect(player.video.controls).toBe(false);
  expect(screen.getByText("1.1 Arrows")).toBeTruthy();
  expect(screen.getByRole("slider", { name: "Seek" }).getAttribute("aria-valuetext")).toBe(
    "30 seconds of 1 minute 30 seconds, chapter 1, Beginning",
  );
  expect(screen.queryByRole("button", { name: /^Quality|Full screen/ })).toBeNull();

  press("Play");
  await vi.waitFor(() => expect(stream.load).toHaveBeenCalledOnce());
  expect(stream.load.mock.lastCall).toEqual([sources, 30, "audio"]);
});

it("seeks ten seconds back or forward", () => {
  const player = show();

  press("Forward 10 seconds");
  expect(player.playback.state.time).toBe(40);
  press("Back 10 seconds");
  press("Back 10 seconds");
  expect(player.playback.state.time).toBe(20);
});

it("counts played audio as progress", async () => {
  const player = show();
  press("Play");
  await vi.waitFor(() => expect(stream.load).toHaveBeenCalled());
  events.onLoaded();
  happen(player, "playing", { readyState: 4, paused: false, currentTime: 30 });
  for (const currentTime of [30, 31, 32, 33]) happen(player, "timeupdate", { currentTime });
  happen(player, "pause", { paused: true });

  expect(post).toHaveBeenCalledOnce();
  expect(post.mock.lastCall?.[1]).toMatchObject({ position: 33, watched: [[30, 33]] });
});

it("names the saved position, also after a seek while offline", async () => {
  const player = show();
  press("Play");
  await vi.waitFor(() => expect(stream.load).toHaveBeenCalled());
  act(() => events.onFailed("network"));
  expect(screen.getByText(/Your place at 0:30 is saved/)).toBeTruthy();

  act(() => player.playback.seek(51));
  expect(screen.getByText(/Your place at 0:51 is saved/)).toBeTruthy();
});

it("leaves the quality of videos as it was chosen", () => {
  writeSettings(localStorage, { ...defaults, quality: "720p" });
  const player = show();
  player.playback.setSpeed(1.5);

  expect(readSettings(localStorage)).toMatchObject({ quality: "720p", speed: 1.5 });
});

it("hides and shows the captions", () => {
  const player = show([{ language: "en", label: "English", url: "/en.vtt" }]);
  player.captionLines.set(["Here is the plane."]);

  const captions = screen.getByRole("button", { name: "Captions" });
  expect(captions.getAttribute("aria-pressed")).toBe("true");
  press("Captions");
  expect(captions.getAttribute("aria-pressed")).toBe("false");
});

it("has the shortcuts of the player except full screen", () => {
  const player = show();
  const keys = playerShortcuts(player, () => ({ lesson, view: null }));
  const working = keys.filter((one) => one.isAvailable?.() ?? true).flatMap((one) => one.keys);

  expect(working).toEqual([
    ...[" ", "k", "arrowleft", "arrowright", "j", "l"],
    ..."0123456789".split(""),
    ...["-", "+", "=", "m", "n"],
  ]);
  expect(availableShortcuts().map(({ label }) => label)).toContain("Play or pause");
});

it("opens the next video lesson as audio, too", () => {
  show();
  const link = screen.getByRole("link", { name: "Next lesson: Grids" });
  expect(link.getAttribute("href")).toBe("/audio-fallback?lesson=two");

  const text = { ...next, kind: "text" } as LessonLink;
  expect(addressOf(text, true)).toBe("/learn/c/grids");
  expect(addressOf({ ...text, kind: "video" }, false)).toBe("/learn/c/grids");
});

it("plays the sound as one file in a browser without HLS", () => {
  leave = () => undefined;
  const audio = document.createElement("audio");
  vi.spyOn(HTMLMediaElement.prototype, "canPlayType").mockReturnValue("");
  const told = { onQualities: vi.fn(), onSwitched: vi.fn(), onLoaded: vi.fn(), onFailed: vi.fn() };

  createNativeStream(audio, told)?.load(sources, 0, "audio");

  expect(audio.getAttribute("src")).toBe("/m/sound.m4a");
  expect(createNativeStream(document.createElement("video"), told)).toBeNull();
});

it.each([
  [403, "expired"],
  [404, "gone"],
  [500, "start"],
])("tells from the status %d that the browser's own playback has %s", async (status, failure) => {
  leave = () => undefined;
  const audio = document.createElement("audio");
  vi.spyOn(HTMLMediaElement.prototype, "canPlayType").mockReturnValue("");
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("", { status })));
  const told = { onQualities: vi.fn(), onSwitched: vi.fn(), onLoaded: vi.fn(), onFailed: vi.fn() };
  createNativeStream(audio, told)?.load(sources, 0, "audio");

  audio.dispatchEvent(new Event("error"));

  await vi.waitFor(() => expect(told.onFailed).toHaveBeenCalledWith(failure));
  vi.unstubAllGlobals();
});

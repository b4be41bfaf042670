import { beforeEach, expect, it, vi } from "vitest";

import { ApiError, makeError, problemOf } from "../../../shared/api/errors";
import { Playback, type PlaybackOptions, statusOf } from "./playback";
import { defaults } from "./settings";
import type { Sources, Stream, StreamEvents } from "../../../shared/video/stream";
import { FakeVideo } from "./testing/video";

const sources: Sources = {
  master: "/m/master.m3u8",
  audio: "/m/audio.m3u8",
  sound: "/m/sound.m4a",
};

let video: FakeVideo;
let events: StreamEvents;
const stream = {
  load: vi.fn<Stream["load"]>(),
  choose: vi.fn<Stream["choose"]>(() => false),
  retry: vi.fn<Stream["retry"]>(),
  destroy: vi.fn<Stream["destroy"]>(),
};

beforeEach(() => {
  vi.useFakeTimers();
  video = new FakeVideo();
});

function make(options: Partial<PlaybackOptions> = {}): Playback {
  const playback = new Playback({
    video: video.asElement(),
    sources,
    lesson: "2.4",
    duration: 120,
    startAt: 0,
    settings: defaults,
    createStream: (_, given) => {
      events = given;
      return Promise.resolve(stream);
    },
    refresh: () => Promise.resolve(null),
    ...options,
  });
  playback.attach();
  return playback;
}
async function playing(options: Partial<PlaybackOptions> = {}): Promise<Playback> {
  const playback = make(options);
  await playback.play();
  video.run(playback.state.time);
  return playback;
}
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

it("loads nothing before it is started", () => {
  const createStream = vi.fn();
  const playback = make({ createStream });

  expect(playback.state).toMatchObject({ status: "idle", time: 0, duration: 120, error: null });
  expect(createStream).not.toHaveBeenCalled();
});

it("starts where the learner stopped", async () => {
  const playback = make({ startAt: 42 });
  expect(playback.state.time).toBe(42);
  void playback.play();
  await settle();
  expect(playback.state.status).toBe("loading");
  expect(stream.load).toHaveBeenCalledExactlyOnceWith(sources, 42, "auto");
  expect(playback.state.time).toBe(42); // though the element still stands at zero

  video.run(42);
  expect(playback.state).toMatchObject({ status: "playing", time: 42 });
});

it("starts at the position chosen before the start", async () => {
  const playback = make({ startAt: 42 });
  playback.seek(90);
  await playback.play();

  expect(stream.load).toHaveBeenCalledExactlyOnceWith(sources, 90, "auto");
});

it("opens one stream for several presses", async () => {
  const createStream = vi.fn<PlaybackOptions["createStream"]>((_, given) => {
    events = given;
    return Promise.resolve(stream);
  });
  const playback = make({ createStream });
  await Promise.all([playback.play(), playback.play(), playback.play()]);

  expect(createStream).toHaveBeenCalledOnce();
});

it("is paused when the browser requires a user gesture", async () => {
  const playback = make();
  video.refusal = new DOMException("press first", "NotAllowedError");
  Object.setPrototypeOf(video.refusal, Error.prototype); // jsdom's is none, a browser's is
  await playback.play();
  video.tell("canplay", { readyState: 4 });

  expect(playback.state).toMatchObject({ status: "paused", error: null });
});

it.each([
  [{ ended: true, paused: true, readyState: 4, seeking: false }, "ended"],
  [{ ended: false, paused: false, readyState: 0, seeking: false }, "loading"],
  [{ ended: false, paused: true, readyState: 4, seeking: false }, "paused"],
  [{ ended: false, paused: false, readyState: 2, seeking: false }, "buffering"],
  [{ ended: false, paused: false, readyState: 1, seeking: true }, "buffering"],
  [{ ended: false, paused: false, readyState: 4, seeking: false }, "playing"],
] as const)("calls %j %s", (facts, status) => {
  expect(statusOf(facts, false, true)).toBe(status);
});

it("plays loaded media while offline, then shows the error", async () => {
  const playback = await playing();
  events.onFailed("network");
  expect(playback.state.status).toBe("playing");
  expect(playback.state.error?.problem.code).toBe("VIDEO_NETWORK_ERROR");

  video.tell("waiting", { readyState: 2 });
  expect(playback.state.status).toBe("error");
});

it("resumes at its position after a retry and clears the error", async () => {
  const playback = await playing();
  video.tell("timeupdate", { currentTime: 33 });
  events.onFailed("network");
  const retried = playback.retry();
  expect(stream.retry).toHaveBeenCalledExactlyOnceWith(33);
  events.onLoaded();

  await expect(retried).resolves.toBeUndefined();
  expect(playback.state.error).toBeNull();
});

it("reports a new failure of the retry", async () => {
  const playback = await playing();
  events.onFailed("network");
  const first = playback.state.error;
  const retried = playback.retry();
  events.onFailed("network");

  await expect(retried).rejects.toMatchObject({ problem: { code: "VIDEO_NETWORK_ERROR" } });
  expect(playback.state.error).not.toBe(first); // so that the countdown counts one more
});

it.each(["start", "media"] as const)("has not loaded after a failure of kind %s", async (kind) => {
  const playback = make();
  void playback.play();
  await settle();
  events.onFailed(kind);

  expect(playback.state).toMatchObject({ status: "error" });
  expect(playback.state.error?.problem.code).toBe("VIDEO_LOAD_FAILED");
});

it("offers the audio version of a lesson that cannot be played", async () => {
  const playback = make({ createStream: () => Promise.resolve(null) });
  await playback.play();

  expect(playback.state.error?.problem).toMatchObject({
    code: "VIDEO_FORMAT_UNSUPPORTED",
    params: { lesson: "2.4" },
  });
});

it("can be retried when the code of the player was not loaded", async () => {
  let isOnline = false;
  const playback = make({
    createStream: (_, given) => {
      if (!isOnline) return Promise.reject(new TypeError("Failed to fetch"));
      events = given;
      return Promise.resolve(stream);
    },
  });
  await playback.play();
  expect(playback.state.error?.problem.code).toBe("VIDEO_LOAD_FAILED");

  isOnline = true;
  const retried = playback.retry();
  await settle();
  events.onLoaded();
  await expect(retried).resolves.toBeUndefined();
  expect(playback.state.error).toBeNull();
});

it("continues with new addresses when the old ones have expired", async () => {
  const fresh = { master: "/new/master.m3u8", audio: null, sound: null };
  const playback = await playing({ refresh: () => Promise.resolve(fresh) });
  video.tell("timeupdate", { currentTime: 61 });
  events.onFailed("expired");
  await settle();

  expect(stream.load).toHaveBeenLastCalledWith(fresh, 61, "auto");
  expect(playback.state.error).toBeNull();
});

it("does not request new addresses forever", async () => {
  const refresh = vi.fn(() => Promise.resolve(sources));
  const playback = await playing({ refresh });
  for (let times = 0; times < 5; times += 1) {
    events.onFailed("expired");
    await settle();
  }

  expect(refresh).toHaveBeenCalledOnce();
  expect(playback.state.error?.problem.code).toBe("MEDIA_LINK_EXPIRED");
});

it("fetches new addresses again after they could not be fetched, and keeps its place", async () => {
  const fresh = { master: "/new/master.m3u8", audio: null, sound: null };
  const refresh = vi.fn(() => Promise.resolve(fresh));
  refresh.mockRejectedValueOnce(makeError("NETWORK_FAILED"));
  const playback = await playing({ refresh });
  video.tell("timeupdate", { currentTime: 61 });
  events.onFailed("expired");
  await settle();
  expect(playback.state.error?.problem.code).toBe("VIDEO_NETWORK_ERROR");

  const retried = playback.retry();
  await settle();
  events.onLoaded();
  await expect(retried).resolves.toBeUndefined();
  expect(stream.load).toHaveBeenLastCalledWith(fresh, 61, "auto");
  expect(stream.retry).not.toHaveBeenCalled();
  expect(playback.state.error).toBeNull();
});

it.each([
  [401, "NOT_AUTHENTICATED", "AUTH_SESSION_EXPIRED"],
  [403, "ENROLLMENT_REQUIRED", "ENROLLMENT_REQUIRED"],
  [403, "SUBSCRIPTION_EXPIRED", "SUBSCRIPTION_EXPIRED"],
  [503, "SERVER_ERROR", "VIDEO_NETWORK_ERROR"],
] as const)("says why the server gives no new addresses: %i %s", async (status, code, shown) => {
  const refusal = new ApiError(status, problemOf(code, status));
  const playback = await playing({ refresh: () => Promise.reject(refusal) });
  events.onFailed("expired");
  await settle();

  expect(playback.state.error?.problem.code).toBe(shown);
});

it("says that a video is being processed again", async () => {
  const playback = await playing({ refresh: () => Promise.resolve(null) });
  events.onFailed("gone");
  await settle();

  expect(playback.state.error?.problem.code).toBe("LECTURE_UNAVAILABLE");
});

it("says that the browser refuses protected media", async () => {
  const playback = await playing();
  video.tell("encrypted", { readyState: 1 });

  expect(playback.state).toMatchObject({ status: "error" });
  expect(playback.state.error?.problem.code).toBe("VIDEO_DRM_ERROR");
  expect(stream.destroy).toHaveBeenCalledOnce(); // else what is still loaded looks like a recovery
});

it("says that the connection is back", async () => {
  document.body.innerHTML = '<div data-toasts data-restored="You\'re back online."></div>';
  await playing();
  events.onFailed("network");
  events.onLoaded();

  expect(document.body.textContent).toContain("You're back online.");
});

it("keeps speed and playback when the quality changes the source", async () => {
  const playback = await playing();
  playback.setSpeed(1.5);
  stream.choose.mockImplementationOnce(() => {
    video.tell("emptied", { readyState: 0, paused: true, playbackRate: 1, currentTime: 0 });
    return true;
  });
  video.currentTime = 20;
  playback.setQuality("audio");
  await settle();

  expect(stream.choose).toHaveBeenCalledExactlyOnceWith("audio", 20);
  expect(video.paused).toBe(false);
  expect(video.playbackRate).toBe(1.5);
});

it("stays paused when the quality changes while paused", async () => {
  const playback = await playing();
  playback.pause();
  stream.choose.mockReturnValueOnce(true);
  playback.setQuality("audio");
  await settle();

  expect(video.paused).toBe(true);
});

it("reports the current quality, and one that the connection lowered", async () => {
  const playback = await playing();
  events.onQualities(["1080p", "720p", "480p"]);
  events.onSwitched("1080p", false);
  expect(playback.state).toMatchObject({ height: "1080p", lowered: "" });

  events.onSwitched("720p", true);
  expect(playback.state).toMatchObject({ height: "720p", lowered: "720p" });

  playback.setQuality("480p");
  expect(playback.state).toMatchObject({ quality: "480p", lowered: "" });
});

it("does not offer audio only without an audio source", () => {
  const playback = make({
    sources: { master: "/m", audio: null, sound: null },
    settings: { ...defaults, quality: "audio" },
  });

  expect(playback.state).toMatchObject({ hasAudio: false, quality: "auto" });
});

it("steps through the speeds and stops at both ends", async () => {
  const playback = await playing();
  const seen: number[] = [];
  for (const step of [1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1] as const) {
    playback.stepSpeed(step);
    seen.push(video.playbackRate);
  }

  expect(seen).toEqual([1.25, 1.5, 2, 2, 1.5, 1.25, 1, 0.75, 0.5, 0.5, 0.5]);
});

it("seeks within the video only", async () => {
  const playback = await playing();
  playback.seek(-10);
  expect(video.currentTime).toBe(0);
  playback.seek(9999);
  expect(video.currentTime).toBe(120);
});

it("restores the volume when it is unmuted at zero", async () => {
  const playback = await playing();
  playback.setVolume(0);
  expect(playback.state.isMuted).toBe(true);
  playback.toggleMute();

  expect(playback.state).toMatchObject({ isMuted: false, volume: 0.5 });
});

it("starts again after its end", async () => {
  const playback = await playing();
  video.tell("ended", { ended: true, paused: true, currentTime: 120 });
  expect(playback.state.status).toBe("ended");
  await playback.play();

  expect(video.currentTime).toBe(0);
});

it("notices a pause by the key of a headset", async () => {
  const playback = await playing();
  video.pause();
  events.onFailed("network");
  void playback.retry();
  await settle();

  expect(video.paused).toBe(true);
  expect(playback.state.status).not.toBe("playing");
});

it("shows what is loaded", async () => {
  const playback = await playing();
  video.tell("progress", { ranges: [[0, 30]] });

  expect(playback.state.buffered).toEqual([[0, 30]]);
});

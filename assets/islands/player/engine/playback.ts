/**
 * The playback of one lesson: the observed state of the media element, and the commands of the user. Independent of
 * React, which renders `state`.
 */
import { ApiError, makeError, type NamedCode } from "../../../shared/api/errors";
import { noteFailure, noteResponse } from "../../../shared/connection";
import { type Quality, type Settings, SPEEDS } from "./settings";
import type { Failure, CreateStream, Sources, Stream } from "../../../shared/video/stream";
import type { Pair } from "./watched";

export type Status = "idle" | "loading" | "playing" | "paused" | "buffering" | "ended" | "error";

export type PlaybackState = {
  status: Status;
  time: number;
  duration: number;
  buffered: Pair[];
  speed: number;
  volume: number;
  isMuted: boolean;
  quality: Quality;
  /** The quality that plays now, such as "720p"; empty while unknown. */
  height: string;
  /** The qualities to choose from besides auto and audio. */
  heights: string[];
  hasAudio: boolean;
  /** The quality to which a slow connection lowered it; empty otherwise. */
  lowered: string;
  error: ApiError | null;
};

export type PlaybackOptions = {
  video: HTMLMediaElement;
  sources: Sources;
  lesson: string;
  duration: number;
  startAt: number;
  settings: Settings;
  createStream: CreateStream;
  /** Whether only the sound is played, so that there is no other version to offer. */
  isAudioOnly?: boolean;
  /** Fetch new addresses when the old ones have expired; null if there are none. */
  refresh: () => Promise<Sources | null>;
};

/** New addresses that fail as well are not requested again sooner than this. */
const REFRESH_EVERY_MS = 30_000;

const observed = [
  "play",
  "playing",
  "pause",
  "waiting",
  "seeking",
  "seeked",
  "timeupdate",
  "progress",
  "durationchange",
  "ratechange",
  "volumechange",
  "canplay",
  "ended",
  "emptied",
] as const;

export class Playback {
  #state: PlaybackState;
  #listeners = new Set<() => void>();
  #stream: Stream | null = null;
  #opening: Promise<void> | null = null;
  #hasStarted = false;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** New addresses were needed, but could not be fetched. */
  #needsRenewal = false;
  #wantsToPlay = false;
  #startAt: number;
  #sources: Sources;
  #retrying: { resolve: () => void; reject: (error: ApiError) => void } | null = null;
  readonly #video: HTMLMediaElement;

  constructor(private readonly options: PlaybackOptions) {
    const { video, settings, sources, duration, startAt } = options;
    this.#video = video;
    this.#sources = sources;
    this.#startAt = startAt;
    this.#state = {
      status: "idle",
      time: startAt,
      duration,
      buffered: [],
      speed: settings.speed,
      volume: settings.volume,
      isMuted: settings.isMuted,
      quality: settings.quality === "audio" && !sources.audio ? "auto" : settings.quality,
      height: "",
      heights: [],
      hasAudio: sources.audio !== null,
      lowered: "",
      error: null,
    };
    video.volume = settings.volume;
    video.muted = settings.isMuted;
  }

  /** Observe the element. Returns a function that stops observing and loading. */
  attach(): () => void {
    const video = this.#video;
    const listening = new AbortController();
    const { signal } = listening;
    for (const type of observed) video.addEventListener(type, this.#observe, { signal });
    // The media is protected, and nothing here can ask for permission to play it.
    video.addEventListener("encrypted", this.#refuse, { signal });
    // Media keys and headsets play and pause the element directly.
    video.addEventListener("play", () => (this.#wantsToPlay = true), { signal });
    video.addEventListener(
      "pause",
      () => {
        // Changing the source pauses the element, too; then nothing is loaded.
        if (video.readyState > 0) this.#wantsToPlay = false;
      },
      { signal },
    );
    return () => {
      listening.abort();
      this.#startAt = this.#position();
      this.#stream?.destroy();
      this.#stream = null;
      this.#hasStarted = false;
      this.#set({ status: "idle" });
    };
  }

  get state(): PlaybackState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Start or continue. Stays paused where the browser forbids it (sound without a user gesture). */
  async play(): Promise<void> {
    this.#wantsToPlay = true;
    // During the user gesture: Safari plays only elements that were loaded in one.
    if (!this.#stream) this.#video.load();
    await this.#open();
    if (this.#video.ended) this.#video.currentTime = 0;
    await this.#start();
  }

  async #start(): Promise<void> {
    try {
      await this.#video.play();
    } catch (reason) {
      // A new source interrupts an earlier start; only NotAllowedError is a refusal.
      const isForbidden = reason instanceof Error && reason.name === "NotAllowedError";
      if (isForbidden) this.#wantsToPlay = false;
    }
    this.#observe();
  }

  pause(): void {
    this.#wantsToPlay = false;
    this.#video.pause();
  }

  toggle(): void {
    // Ask the element itself once it has started: its events may come later than a second press.
    const { status } = this.#state;
    const runs = status === "loading" || (this.#hasStarted && !this.#video.paused);
    if (runs) this.pause();
    else void this.play();
  }

  /** Seek to a second; before the start, set where to start. */
  seek(time: number): void {
    const end = this.#state.duration;
    const target = Math.min(Math.max(0, time), end > 0 ? end : Number.POSITIVE_INFINITY);
    if (this.#hasStarted) this.#video.currentTime = target;
    else this.#startAt = target;
    this.#set({ time: target });
  }

  setSpeed(speed: number): void {
    this.#video.playbackRate = speed;
    this.#set({ speed });
  }

  /** One step faster (1) or slower (-1) on the scale of speeds. */
  stepSpeed(step: 1 | -1): void {
    const here = SPEEDS.findIndex((speed) => speed === this.#state.speed);
    const next = SPEEDS[here + step];
    if (next !== undefined) this.setSpeed(next);
  }

  setVolume(volume: number): void {
    this.#video.volume = Math.min(1, Math.max(0, volume));
    this.#video.muted = volume <= 0;
    this.#observe();
  }

  toggleMute(): void {
    this.#video.muted = !this.#video.muted;
    if (!this.#video.muted && this.#video.volume === 0) this.#video.volume = 0.5;
    this.#observe();
  }

  setQuality(quality: Quality): void {
    this.#set({ quality, lowered: "" });
    const isOther = this.#stream?.choose(quality, this.#video.currentTime) ?? false;
    if (isOther) this.#restoreAfterSourceChange();
  }

  dismissLowered(): void {
    this.#set({ lowered: "" });
  }

  /** Try again after a failure; resolves when media is loaded, rejects when it fails again. */
  retry = (): Promise<void> => {
    const outcome = new Promise<void>((resolve, reject) => {
      this.#retrying = { resolve, reject };
    });
    if (this.#needsRenewal) void this.#renew();
    else if (this.#stream) this.#stream.retry(this.#position());
    else void this.#open();
    if (this.#wantsToPlay) void this.#start();
    return outcome;
  };

  #position(): number {
    return this.#hasStarted && this.#video.readyState > 0 ? this.#video.currentTime : this.#startAt;
  }

  #open(): Promise<void> {
    if (this.#stream) return Promise.resolve();
    this.#set({ status: "loading", error: null });
    this.#opening ??= this.#load().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #load(): Promise<void> {
    const { createStream, video } = this.options;
    const stream = await createStream(video, {
      onQualities: (heights) => this.#set({ heights }),
      onSwitched: (height, isForced) => this.#set({ height, ...(isForced && { lowered: height }) }),
      onLoaded: () => this.#recovered(),
      onFailed: (failure) => this.#failed(failure),
    }).catch(() => undefined);
    if (!stream) {
      this.#show(this.#error(stream === null ? "format" : "start"));
      return;
    }
    this.#stream = stream;
    stream.load(this.#sources, this.#startAt, this.#state.quality);
    this.#hasStarted = true;
    this.#video.playbackRate = this.#state.speed;
  }

  #restoreAfterSourceChange(): void {
    // A new source resets the speed of the element and pauses it.
    this.#video.playbackRate = this.#state.speed;
    this.#video.defaultPlaybackRate = this.#state.speed;
    if (this.#wantsToPlay) void this.#start();
  }

  #error(failure: Failure): ApiError {
    const isOffered = failure === "format" && this.options.isAudioOnly !== true;
    const code = isOffered ? "VIDEO_FORMAT_UNSUPPORTED" : codes[failure];
    return makeError(code, { lesson: this.options.lesson });
  }

  /** Stop loading: what still arrives would look like a recovery. */
  #refuse = (): void => {
    this.#startAt = this.#position();
    this.#wantsToPlay = false;
    this.#stream?.destroy();
    this.#stream = null;
    this.#failed("protected");
  };

  #failed(failure: Failure): void {
    const isFirst = Date.now() - this.#refreshedAt > REFRESH_EVERY_MS;
    if ((failure === "expired" || failure === "gone") && isFirst) void this.#renew();
    else this.#show(this.#error(failure));
    if (failure === "network") noteFailure();
  }

  /** The addresses have expired (a lesson left open overnight): continue with new ones. */
  async #renew(): Promise<void> {
    this.#refreshedAt = Date.now();
    this.#needsRenewal = false;
    const at = this.#position();
    let sources: Sources | null;
    try {
      sources = await this.options.refresh();
    } catch (reason) {
      this.#refreshedAt = Number.NEGATIVE_INFINITY;
      this.#needsRenewal = true;
      this.#show(refusalOf(reason) ?? this.#error("network"));
      return;
    }
    if (!sources) {
      this.#show(makeError("LECTURE_UNAVAILABLE"));
      return;
    }
    this.#sources = sources;
    this.#stream?.load(sources, at, this.#state.quality);
    this.#restoreAfterSourceChange();
  }

  #show(error: ApiError): void {
    this.#retrying?.reject(error);
    this.#retrying = null;
    this.#set({ error });
    this.#observe();
  }

  #recovered(): void {
    this.#retrying?.resolve();
    this.#retrying = null;
    if (this.#state.error?.is("VIDEO_NETWORK_ERROR")) noteResponse();
    if (this.#state.error) this.#set({ error: null });
    this.#observe();
  }

  #observe = (): void => {
    const video = this.#video;
    if (!this.#hasStarted && !this.#state.error) {
      this.#set({ volume: video.volume, isMuted: video.muted });
      return;
    }
    const { duration } = this.#state;
    // Before the first frame the element is at zero, not at the start position.
    const time = video.readyState > 0 ? video.currentTime : this.#state.time;
    this.#set({
      status: statusOf(video, this.#state.error !== null, this.#wantsToPlay),
      time,
      duration: Number.isFinite(video.duration) && video.duration > 0 ? video.duration : duration,
      buffered: rangesOf(video.buffered),
      volume: video.volume,
      isMuted: video.muted,
    });
  };

  #set(change: Partial<PlaybackState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const codes: Record<Failure, NamedCode> = {
  start: "VIDEO_LOAD_FAILED",
  network: "VIDEO_NETWORK_ERROR",
  expired: "MEDIA_LINK_EXPIRED",
  gone: "VIDEO_LOAD_FAILED",
  media: "VIDEO_LOAD_FAILED",
  format: "VIDEO_LOAD_FAILED",
  protected: "VIDEO_DRM_ERROR",
};

/** Why the server gives no new addresses, in its words; undefined if it may give them later. */
function refusalOf(reason: unknown): ApiError | undefined {
  if (!(reason instanceof ApiError)) return undefined;
  if (reason.status === 401) return makeError("AUTH_SESSION_EXPIRED");
  const isFinal =
    reason.status >= 400 && reason.status < 500 && ![408, 429].includes(reason.status);
  return isFinal ? reason : undefined;
}

type Facts = Pick<HTMLMediaElement, "ended" | "paused" | "seeking" | "readyState">;

const HAVE_CURRENT = 2;
const HAVE_FUTURE = 3;

/** The status of a media element. */
export function statusOf(video: Facts, hasFailed: boolean, wantsToPlay: boolean): Status {
  if (video.ended) return "ended";
  // Loaded media keeps playing after the connection broke.
  if (hasFailed && (video.paused || video.readyState < HAVE_FUTURE)) return "error";
  if (video.readyState < HAVE_CURRENT && !video.seeking) return wantsToPlay ? "loading" : "paused";
  if (video.paused) return "paused";
  return video.readyState < HAVE_FUTURE ? "buffering" : "playing";
}

function rangesOf(ranges: TimeRanges): Pair[] {
  return Array.from({ length: ranges.length }, (_, n) => [ranges.start(n), ranges.end(n)]);
}

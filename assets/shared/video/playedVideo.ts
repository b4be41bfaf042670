/** A video beside what is edited or read about it: loaded when it is first played or sought. */
import type { CreateStream, Failure, Sources, Stream } from "./stream";

export type VideoState = {
  time: number;
  isPlaying: boolean;
  /** Whether the range of a cue is played again and again. */
  isLooping: boolean;
  speed: number;
  failure: Failure | null;
};

/** Seconds before the end of a range at which it has been played. */
const END_SLACK = 0.02;

/** Both are fetched with the first press: what shares them with the player is what the player fetches, too. */
const createStream: CreateStream = async (element, events) => {
  const { createHlsStream } = await import("./hls");
  const stream = createHlsStream(element, events);
  return stream ?? (await import("./native")).createNativeStream(element, events);
};

export class PlayedVideo {
  #element: HTMLVideoElement | null = null;
  #stream: Stream | null = null;
  #opening: Promise<void> | null = null;
  #range: { begin: number; end: number } | null = null;
  #frame = 0;
  #listeners = new Set<() => void>();
  #state: VideoState = { time: 0, isPlaying: false, isLooping: false, speed: 1, failure: null };

  constructor(private readonly sources: Sources | null) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  state = (): VideoState => this.#state;

  get time(): number {
    return this.#state.time;
  }

  attach = (element: HTMLVideoElement | null): (() => void) | undefined => {
    if (!element) return undefined;
    this.#element = element;
    const listening = new AbortController();
    const { signal } = listening;
    const read = (): void => this.#read();
    for (const name of ["play", "pause", "timeupdate", "seeked", "ended", "ratechange"])
      element.addEventListener(name, read, { signal });
    return () => {
      listening.abort();
      cancelAnimationFrame(this.#frame);
      this.#stream?.destroy();
      this.#stream = null;
      this.#opening = null;
      this.#element = null;
    };
  };

  async play(begin?: number, end?: number): Promise<void> {
    this.#range = begin !== undefined && end !== undefined ? { begin, end } : null;
    await this.#open(begin ?? this.#state.time);
    if (begin !== undefined && this.#element) this.#element.currentTime = begin;
    await this.#element?.play().catch(() => undefined); // the browser may forbid it
  }

  toggle(): void {
    if (this.#state.isPlaying) this.#element?.pause();
    else void this.play();
  }

  seek(time: number): void {
    const at = Math.max(0, time);
    this.#range = null;
    this.#set({ time: at });
    void this.#open(at).then(() => {
      if (this.#element) this.#element.currentTime = at;
    });
  }

  setSpeed(speed: number): void {
    if (this.#element) this.#element.playbackRate = speed;
    this.#set({ speed });
  }

  setLooping(isLooping: boolean): void {
    this.#set({ isLooping });
  }

  #open(at: number): Promise<void> {
    const element = this.#element;
    const { sources } = this;
    if (!element || !sources) return Promise.resolve();
    this.#opening ??= createStream(element, {
      onQualities: () => undefined,
      onSwitched: () => undefined,
      onLoaded: () => this.#set({ failure: null }),
      onFailed: (failure) => {
        this.#set({ failure });
        this.#opening = null; // playing it again tries once more
      },
    }).then((stream) => {
      this.#stream?.destroy();
      this.#stream = stream;
      if (stream) stream.load(sources, at, "auto");
      else this.#set({ failure: "format" });
      element.playbackRate = this.#state.speed;
    });
    return this.#opening;
  }

  /** While it plays, the time is read for every frame: caption and strip move evenly. */
  #read(): void {
    const element = this.#element;
    if (!element) return;
    const range = this.#range;
    if (range && element.currentTime >= range.end - END_SLACK && !element.paused) {
      if (this.#state.isLooping) element.currentTime = range.begin;
      else {
        this.#range = null;
        element.pause();
      }
    }
    this.#set({ time: element.currentTime, isPlaying: !element.paused });
    cancelAnimationFrame(this.#frame);
    if (!element.paused) this.#frame = requestAnimationFrame(() => this.#read());
  }

  #set(part: Partial<VideoState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

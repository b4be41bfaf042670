/**
 * A media element that stands for the player in a frame of another host: its facts are those that the host tells, and
 * its commands are sent there. So all that works with a video of the lesson page (progress, notes, transcript, tutor,
 * shortcuts) works with it, too. The element itself loads nothing.
 */

/** What the host's player can be asked. */
export interface Commands {
  play(): void;
  pause(): void;
  seek(second: number): void;
  setRate(rate: number): void;
  setVolume(volume: number): void;
  setMuted(isMuted: boolean): void;
}

/** What the host has told. Seconds; `duration` is NaN while unknown, and of a live stream. */
export type Facts = {
  time: number;
  duration: number;
  isPaused: boolean;
  hasEnded: boolean;
  isBuffering: boolean;
  rate: number;
  volume: number;
  isMuted: boolean;
};

/** No video is longer; a host that tells more is not believed. */
const MAX_SECONDS = 172_800;
/** A step of the time, in seconds, that is a jump and not playback at double speed. */
const JUMP_SECONDS = 4;
/** Within so many seconds of where it should be, a seek has arrived. */
const NEAR_SECONDS = 2;
/** A seek that the host doesn't confirm is over then. */
const SEEK_TIMEOUT_MS = 3000;

const HAVE_NOTHING = 0;
const HAVE_CURRENT = 2;
const HAVE_ENOUGH = 4;

/** A time or a length as a host tells it; null if it is none. */
export function secondsFrom(value: unknown): number | null {
  const isTime = typeof value === "number" && value >= 0 && value <= MAX_SECONDS;
  return isTime ? value : null;
}

export class RemoteMedia {
  #facts: Facts = {
    time: 0,
    duration: Number.NaN,
    isPaused: true,
    hasEnded: false,
    isBuffering: false,
    rate: 1,
    volume: 1,
    isMuted: false,
  };
  #isKnown = false;
  #target: { second: number; until: number } | null = null;

  constructor(
    private readonly video: HTMLMediaElement,
    private readonly commands: Commands,
  ) {
    this.#facts.volume = video.volume;
    this.#facts.isMuted = video.muted;
    this.#define();
  }

  /** Take over what the host told, and fire the events that a media element fires for it. */
  report(told: Partial<Facts>): void {
    const before = this.#facts;
    const after = { ...before, ...told };
    this.#facts = after;
    if (!this.#isKnown) {
      this.#isKnown = true;
      this.#fire("loadedmetadata", "canplay");
    }
    if (!Object.is(after.duration, before.duration)) this.#fire("durationchange");
    if (after.rate !== before.rate) this.#fire("ratechange");
    if (after.volume !== before.volume || after.isMuted !== before.isMuted)
      this.#fire("volumechange");
    if (told.time !== undefined) this.#move(before.time, told.time);
    if (before.isPaused && !after.isPaused) this.#fire("play", "playing");
    if (!after.isPaused && before.isBuffering !== after.isBuffering)
      this.#fire(after.isBuffering ? "waiting" : "playing");
    if (told.time !== undefined) this.#fire("timeupdate");
    if (!before.isPaused && after.isPaused) this.#fire("pause");
    if (!before.hasEnded && after.hasEnded) this.#fire("ended");
  }

  /** Nothing is known of the host's player any more: it is loaded again. */
  forget(): void {
    this.#isKnown = false;
    this.#target = null;
    this.#facts = { ...this.#facts, isPaused: true, hasEnded: false, isBuffering: false };
    this.#fire("emptied");
  }

  /** Tell a jump, ours or one in the host's player, so that nothing between counts as watched. */
  #move(from: number, to: number): void {
    if (this.#target) {
      const hasArrived = Math.abs(to - this.#target.second) <= NEAR_SECONDS;
      if (!hasArrived && Date.now() < this.#target.until) return;
      this.#target = null;
      this.#fire("seeked");
    } else if (to < from || to - from > JUMP_SECONDS) this.#fire("seeking", "seeked");
  }

  #seek(second: number): void {
    this.#target = { second, until: Date.now() + SEEK_TIMEOUT_MS };
    this.#facts = { ...this.#facts, time: second, hasEnded: false };
    this.#fire("seeking");
    this.commands.seek(second);
    this.#fire("timeupdate");
  }

  #define(): void {
    const { commands } = this;
    const facts = (): Facts => this.#facts;
    const ready = (): number => {
      if (!this.#isKnown) return HAVE_NOTHING;
      return facts().isBuffering ? HAVE_CURRENT : HAVE_ENOUGH;
    };
    const read = (get: () => unknown): PropertyDescriptor => ({ configurable: true, get });
    Object.defineProperties(this.video, {
      currentTime: { ...read(() => facts().time), set: (second: number) => this.#seek(second) },
      duration: read(() => facts().duration),
      paused: read(() => facts().isPaused),
      ended: read(() => facts().hasEnded),
      seeking: read(() => this.#target !== null),
      readyState: read(ready),
      playbackRate: {
        ...read(() => facts().rate),
        set: (rate: number) => commands.setRate(rate),
      },
      volume: {
        ...read(() => facts().volume),
        set: (volume: number) => {
          commands.setVolume(volume);
          this.#facts = { ...facts(), volume };
        },
      },
      muted: {
        ...read(() => facts().isMuted),
        set: (isMuted: boolean) => {
          commands.setMuted(isMuted);
          this.#facts = { ...facts(), isMuted };
        },
      },
      play: {
        configurable: true,
        value: () => {
          commands.play();
          return Promise.resolve();
        },
      },
      pause: { configurable: true, value: () => commands.pause() },
      load: { configurable: true, value: () => undefined },
    });
  }

  #fire(...types: string[]): void {
    for (const type of types) this.video.dispatchEvent(new Event(type));
  }
}

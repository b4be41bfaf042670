/** The stream through hls.js. This file is fetched when playing begins, not before. */
import Hls, { type ErrorData } from "hls.js/light";

import type { Failure, Sources, Stream, StreamEvents } from "./stream";
import type { Quality } from "./settings";

// Few tries of its own: after them the viewer is told, and the catalogue's countdown takes over.
const patience = {
  maxTimeToFirstByteMs: 10_000,
  maxLoadTimeMs: 60_000,
  timeoutRetry: { maxNumRetry: 1, retryDelayMs: 0, maxRetryDelayMs: 0 },
  errorRetry: { maxNumRetry: 1, retryDelayMs: 500, maxRetryDelayMs: 1000 },
};
const policy = { default: patience };

/** As shown: the name that the playlist gives, else the shorter side of the picture. */
export function nameOf(level: {
  name?: string | undefined;
  width: number;
  height: number;
}): string {
  const shorter = Math.min(level.width || level.height, level.height);
  return level.name ?? `${shorter}p`;
}

/** The index of a quality; where it is not on offer, of the next one below; -1 for auto. */
export function levelOf(names: readonly string[], quality: Quality): number {
  const wanted = Number.parseInt(quality, 10);
  const lines = names.map((name) => Number.parseInt(name, 10)).filter((count) => count <= wanted);
  // Levels come in the order of their bit rate, which is not always that of their size.
  return lines.length === 0 ? -1 : names.indexOf(`${Math.max(...lines)}p`);
}

/** What a fatal error means to the viewer. */
export function failureOf(
  { type, response }: Pick<ErrorData, "type" | "response">,
  hasStarted: boolean,
): Failure {
  if (type !== Hls.ErrorTypes.NETWORK_ERROR) return "media";
  // The address was signed for a time; what is no longer (or not) ours is asked for anew.
  if (response?.code && [401, 403, 404, 410].includes(response.code)) return "expired";
  return hasStarted ? "network" : "start";
}

export function createHlsStream(video: HTMLMediaElement, events: StreamEvents): Stream | null {
  if (!Hls.isSupported()) return null;
  return new HlsStream(video, events);
}

class HlsStream implements Stream {
  #hls: Hls | null = null;
  #sources: Sources = { master: "", audio: null, sound: null };
  #quality: Quality = "auto";
  #isAudio = false;
  #hasStarted = false;
  #hasRecovered = false;
  #lastFailure: Failure | null = null;
  #height = 0;

  constructor(
    private readonly video: HTMLMediaElement,
    private readonly events: StreamEvents,
  ) {}

  load(sources: Sources, at: number, quality: Quality): void {
    this.#sources = sources;
    this.#quality = quality;
    this.#hasStarted = false;
    this.#open(at);
  }

  choose(quality: Quality, at: number): boolean {
    const wasAudio = this.#isAudio;
    this.#quality = quality;
    this.#height = 0; // what the viewer chooses is no loss
    const wantsAudio = quality === "audio" && this.#sources.audio !== null;
    if (wantsAudio !== wasAudio) {
      this.#open(at);
      return true;
    }
    // The next part comes in the new quality; what plays goes on playing.
    if (this.#hls && !wantsAudio) this.#hls.nextLevel = this.#indexOf(quality);
    return false;
  }

  retry(at: number): void {
    if (this.#hls && this.#lastFailure === "network") this.#hls.startLoad(at);
    else this.#open(at);
  }

  destroy(): void {
    this.#hls?.destroy();
    this.#hls = null;
  }

  #open(at: number): void {
    this.destroy();
    this.#isAudio = this.#quality === "audio" && this.#sources.audio !== null;
    this.#height = 0;
    const hls = new Hls({
      startPosition: at,
      capLevelToPlayerSize: true,
      maxBufferLength: 30,
      backBufferLength: 60,
      // The parts are fragmented MP4 already: there is nothing for a worker to do.
      enableWorker: false,
      manifestLoadPolicy: policy,
      playlistLoadPolicy: policy,
      fragLoadPolicy: policy,
    });
    this.#hls = hls;
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      if (this.#isAudio) return;
      this.events.onQualities(hls.levels.map(nameOf));
      const index = this.#indexOf(this.#quality);
      hls.startLevel = index;
      if (index >= 0) hls.nextLevel = index;
    });
    hls.on(Hls.Events.LEVEL_SWITCHED, (_, { level }) => {
      const now = hls.levels[level];
      if (!now || this.#isAudio) return;
      const isLower = now.height < this.#height;
      const isCapped = hls.autoLevelCapping >= 0 && level >= hls.autoLevelCapping;
      this.#height = now.height;
      this.events.onSwitched(nameOf(now), isLower && !isCapped && hls.autoLevelEnabled);
    });
    hls.on(Hls.Events.FRAG_BUFFERED, () => {
      this.#hasStarted = true;
      this.events.onLoaded();
    });
    hls.on(Hls.Events.ERROR, (_, error) => {
      // Where the browser knows that it is offline, hls.js waits in silence and goes on by itself;
      // the viewer is told all the same.
      const isOffline = error.type === Hls.ErrorTypes.NETWORK_ERROR && !navigator.onLine;
      if (error.fatal || isOffline) this.#fail(error);
    });
    hls.loadSource(this.#isAudio ? (this.#sources.audio ?? "") : this.#sources.master);
    hls.attachMedia(this.video);
  }

  #fail(error: ErrorData): void {
    const failure = failureOf(error, this.#hasStarted);
    if (failure === "media" && !this.#hasRecovered) {
      // The browser's decoder stumbled: once, it is worth setting it up again in silence.
      this.#hasRecovered = true;
      this.#hls?.recoverMediaError();
      return;
    }
    this.#lastFailure = failure;
    this.events.onFailed(failure);
  }

  #indexOf(quality: Quality): number {
    return levelOf(this.#hls?.levels.map(nameOf) ?? [], quality);
  }
}

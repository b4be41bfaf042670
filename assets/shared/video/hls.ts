/** The stream of hls.js. This module is fetched when playback starts. */
import Hls, { type ErrorData } from "hls.js/light";

import type { Failure, Quality, Sources, Stream, StreamEvents } from "./stream";

// Few retries of hls.js: after them the user sees the error, with the countdown of the catalogue.
const limits = {
  maxTimeToFirstByteMs: 10_000,
  maxLoadTimeMs: 60_000,
  timeoutRetry: { maxNumRetry: 1, retryDelayMs: 0, maxRetryDelayMs: 0 },
  errorRetry: { maxNumRetry: 1, retryDelayMs: 500, maxRetryDelayMs: 1000 },
};
const policy = { default: limits };

/** The name of a quality: that of the playlist, else the shorter side of the video, such as "720p". */
export function nameOf(level: {
  name?: string | undefined;
  width: number;
  height: number;
}): string {
  const shorter = Math.min(level.width || level.height, level.height);
  return level.name ?? `${shorter}p`;
}

/** The index of a quality, or of the next lower one; -1 for auto. */
export function levelOf(names: readonly string[], quality: Quality): number {
  const wanted = Number.parseInt(quality, 10);
  const lines = names.map((name) => Number.parseInt(name, 10)).filter((count) => count <= wanted);
  // Levels are ordered by bit rate, not by size.
  return lines.length === 0 ? -1 : names.indexOf(`${Math.max(...lines)}p`);
}

const codecErrors: string[] = [
  Hls.ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR,
  Hls.ErrorDetails.BUFFER_ADD_CODEC_ERROR,
  Hls.ErrorDetails.BUFFER_INCOMPATIBLE_CODECS_ERROR,
];

/** The kind of failure of a fatal error. */
export function failureOf(
  { type, details, response }: Pick<ErrorData, "type" | "response"> & { details?: string },
  hasStarted: boolean,
): Failure {
  if (type === Hls.ErrorTypes.KEY_SYSTEM_ERROR) return "protected";
  if (details !== undefined && codecErrors.includes(details)) return "format";
  if (type !== Hls.ErrorTypes.NETWORK_ERROR) return "media";
  // Signed addresses expire, and a new version of a video has others: request new ones.
  if (response?.code && [401, 403, 410].includes(response.code)) return "expired";
  if (response?.code === 404) return "gone";
  return hasStarted ? "network" : "start";
}

/** `library`: another build of hls.js, for streams that need more than ours do. */
export function createHlsStream(
  video: HTMLMediaElement,
  events: StreamEvents,
  library = Hls,
): Stream | null {
  if (!library.isSupported()) return null;
  return new HlsStream(video, events, library);
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
    private readonly library: typeof Hls,
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
    this.#height = 0; // a choice of the user is not a loss of quality
    const wantsAudio = quality === "audio" && this.#sources.audio !== null;
    if (wantsAudio !== wasAudio) {
      this.#open(at);
      return true;
    }
    // The next fragment has the new quality; playback continues.
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
    const hls = new this.library({
      startPosition: at,
      capLevelToPlayerSize: true,
      maxBufferLength: 30,
      backBufferLength: 60,
      // The fragments are MP4, so a worker has nothing to convert.
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
      // While the browser is offline, hls.js waits and resumes by itself; show the error anyway.
      const isOffline = error.type === Hls.ErrorTypes.NETWORK_ERROR && !navigator.onLine;
      if (error.fatal || isOffline) this.#fail(error);
    });
    hls.loadSource(this.#isAudio ? (this.#sources.audio ?? "") : this.#sources.master);
    hls.attachMedia(this.video);
  }

  #fail(error: ErrorData): void {
    const failure = failureOf(error, this.#hasStarted);
    if (failure === "media" && !this.#hasRecovered) {
      // A decoder error: recover once without showing it.
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

/** Where the pictures come from. The playback knows this shape and neither HLS nor the network. */
import type { Quality } from "./settings";

export type Sources = {
  master: string;
  audio: string | null;
  /** The sound as one file, for a browser that knows no HLS. */
  sound: string | null;
};

export type StreamEvents = {
  /** The qualities on offer are known: heights as shown. */
  onQualities: (heights: string[]) => void;
  /** What plays now: "720p"; `isForced` if the connection, not the viewer, chose lower. */
  onSwitched: (height: string, isForced: boolean) => void;
  /** Something new has arrived: an earlier failure is over. */
  onLoaded: () => void;
  onFailed: (failure: Failure) => void;
};

/** `start`: nothing could be loaded; `network`: it broke off; `expired`: the addresses are too old. */
export type Failure = "start" | "network" | "expired" | "media";

export interface Stream {
  /** Load from this second on. */
  load(sources: Sources, at: number, quality: Quality): void;
  /** Change without losing the place; true if the source itself is another one from here on. */
  choose(quality: Quality, at: number): boolean;
  /** Go on after a failure. */
  retry(at: number): void;
  destroy(): void;
}

export type CreateStream = (
  video: HTMLMediaElement,
  events: StreamEvents,
) => Promise<Stream | null>;

/** The stream for this browser; null if it can play none. Fetches hls.js only now. */
export const createStream: CreateStream = async (video, events) => {
  const { createHlsStream } = await import("./hls");
  // First: browsers that know HLS themselves, too, would hide the qualities from us.
  return createHlsStream(video, events) ?? createNativeStream(video, events);
};

/**
 * HLS by the browser itself (older iPhones): it chooses the quality on its own. An audio element needs no HLS:
 * the sound is there as one file, too.
 */
export function createNativeStream(video: HTMLMediaElement, events: StreamEvents): Stream | null {
  const knowsHls = video.canPlayType("application/vnd.apple.mpegurl") !== "";
  if (!knowsHls && !(video instanceof HTMLAudioElement)) return null;
  let sources: Sources | null = null;
  const open = (address: string, at: number): void => {
    video.src = address;
    video.addEventListener("loadedmetadata", () => (video.currentTime = at), { once: true });
    video.load();
  };
  const onError = (): void => events.onFailed(video.readyState === 0 ? "start" : "network");
  const onData = (): void => events.onLoaded();
  video.addEventListener("error", onError);
  video.addEventListener("canplay", onData);
  const addressOf = (given: Sources, quality: Quality): string => {
    if (!knowsHls && given.sound) return given.sound;
    return quality === "audio" && given.audio ? given.audio : given.master;
  };
  return {
    load(given, at, quality) {
      sources = given;
      events.onQualities([]);
      open(addressOf(given, quality), at);
    },
    choose(quality, at) {
      if (!sources || video.src.endsWith(addressOf(sources, quality))) return false;
      open(addressOf(sources, quality), at);
      return true;
    },
    retry: (at) => open(video.src, at),
    destroy() {
      video.removeEventListener("error", onError);
      video.removeEventListener("canplay", onData);
      video.removeAttribute("src");
      video.load();
    },
  };
}

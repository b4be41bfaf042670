import type { Quality } from "./settings";
import type { CreateStream, Sources, Stream, StreamEvents } from "./stream";

/** The stream for this browser; null if it can play none. Fetches hls.js. */
export const createStream: CreateStream = async (video, events) => {
  const { createHlsStream } = await import("./hls");
  // Preferred even in browsers that play HLS natively, as those do not let us choose the quality.
  return createHlsStream(video, events) ?? createNativeStream(video, events);
};

/**
 * HLS played by the browser (older iPhones), which chooses the quality itself. An audio element needs no HLS, as the
 * sound is available as one file.
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

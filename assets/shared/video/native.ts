import type { Failure, Quality, Sources, Stream, StreamEvents } from "./stream";

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
  const onError = (): void => {
    const failed = video.src;
    // The element does not tell the status, and signed addresses expire.
    void failureAt(failed).then((failure) => {
      if (video.src === failed)
        events.onFailed(failure ?? (video.readyState === 0 ? "start" : "network"));
    });
  };
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

/** Why an address cannot be loaded, as far as its status tells. */
async function failureAt(address: string): Promise<Failure | null> {
  const stop = new AbortController();
  try {
    // Not HEAD: the signed addresses of S3 are for GET.
    const { status } = await fetch(address, { signal: stop.signal });
    if ([401, 403, 410].includes(status)) return "expired";
    return status === 404 ? "gone" : null;
  } catch {
    return null;
  } finally {
    stop.abort(); // only the status is wanted
  }
}

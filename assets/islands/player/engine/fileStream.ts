/** Streams of files that another host sends: an MP4 or WebM as one file, and HLS with all of hls.js. */
import type { CreateStream, Failure } from "../../../shared/video/stream";

/** Codes of MediaError: https://html.spec.whatwg.org/multipage/media.html#error-codes */
const failures: Record<number, Failure> = { 2: "network", 3: "media" };

/** One file that the browser plays by itself. */
export const createFileStream: CreateStream = (video, events) => {
  let address = "";
  const open = (at: number): void => {
    video.src = address;
    video.addEventListener("loadedmetadata", () => (video.currentTime = at), { once: true });
    video.load();
  };
  const listening = new AbortController();
  const { signal } = listening;
  video.addEventListener("canplay", () => events.onLoaded(), { signal });
  video.addEventListener(
    "error",
    () => events.onFailed(failures[video.error?.code ?? 0] ?? "start"),
    { signal },
  );
  return Promise.resolve({
    load(sources, at) {
      address = sources.master;
      open(at);
    },
    choose: () => false,
    retry: open,
    destroy() {
      listening.abort();
      video.removeAttribute("src");
      video.load();
    },
  });
};

/** A stream whose sound, captions and keys may be apart from its picture, which the light build can't put together. */
export const createExternalHlsStream: CreateStream = async (video, events) => {
  const [{ default: library }, { createHlsStream }] = await Promise.all([
    import("hls.js"),
    import("../../../shared/video/hls"),
  ]);
  const stream = createHlsStream(video, events, library);
  return stream ?? (await import("../../../shared/video/native")).createNativeStream(video, events);
};

/**
 * The old and the new video of a lesson, side by side (templates/courses/studio/_version.html). Nothing of a video is
 * loaded before its first press. "Watch both" plays and pauses the two together, the old one without sound.
 */
import type { CreateStream, Stream } from "../shared/video/stream";
import { t } from "../shared/i18n";

/** Without hls.js the browser plays the addresses itself, if it can. */
export const createStream: CreateStream = async (video, events) => {
  const { createHlsStream } = await import("../shared/video/hls");
  const stream = createHlsStream(video, events);
  return stream ?? (await import("../shared/video/native")).createNativeStream(video, events);
};

/** Start the players of the page. Returns a function that ends it. */
export function startComparedVideos(create: CreateStream = createStream): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const streams = new Map<HTMLVideoElement, Promise<Stream | null>>();
  // The browser's own controls can't start a stream: they come with the first press.
  for (const video of document.querySelectorAll<HTMLVideoElement>("[data-master]"))
    video.controls = false;
  document.addEventListener(
    "click",
    ({ target }) => {
      if (!(target instanceof Element)) return;
      const start = target.closest<HTMLElement>("[data-compared-start]");
      const video = start?.parentElement?.querySelector("video");
      if (video) void play(video, streams, create);
      const both = target.closest<HTMLElement>("[data-compared-both]");
      if (both) togglePair(both, streams, create);
    },
    { signal },
  );
  // Playing and pausing don't bubble.
  for (const name of ["play", "pause"])
    document.addEventListener(name, ({ target }) => nameButton(target), { capture: true, signal });
  return () => {
    ending.abort();
    for (const stream of streams.values()) void stream.then((opened) => opened?.destroy());
  };
}

async function play(
  video: HTMLVideoElement,
  streams: Map<HTMLVideoElement, Promise<Stream | null>>,
  create: CreateStream,
): Promise<void> {
  if (!streams.has(video)) streams.set(video, open(video, create));
  const stream = await streams.get(video);
  if (!stream) {
    streams.delete(video); // another press tries again
    return;
  }
  await video.play().catch(() => undefined); // the browser may forbid it
}

async function open(video: HTMLVideoElement, create: CreateStream): Promise<Stream | null> {
  const start = video.parentElement?.querySelector<HTMLElement>("[data-compared-start]");
  start?.setAttribute("aria-busy", "true");
  const stream = await create(video, {
    onQualities: () => undefined,
    onSwitched: () => undefined,
    onLoaded: () => undefined,
    onFailed: () => fail(video),
  }).catch(() => null);
  start?.removeAttribute("aria-busy");
  if (!stream) {
    fail(video);
    return null;
  }
  video.querySelector("source")?.remove();
  stream.load({ master: video.dataset.master ?? "", audio: null, sound: null }, 0, "auto");
  video.controls = true;
  start?.setAttribute("hidden", "");
  if (document.activeElement === start || document.activeElement === document.body) video.focus();
  return stream;
}

/** Say that a video doesn't play where it would have played. */
function fail(video: HTMLVideoElement): void {
  const said = video.closest("figure")?.querySelector<HTMLElement>("[data-compared-failed]");
  if (said) said.hidden = false;
}

function videosOf(both: HTMLElement): HTMLVideoElement[] {
  return [...(both.closest("section")?.querySelectorAll<HTMLVideoElement>("[data-master]") ?? [])];
}

function togglePair(
  both: HTMLElement,
  streams: Map<HTMLVideoElement, Promise<Stream | null>>,
  create: CreateStream,
): void {
  const videos = videosOf(both);
  if (videos.some((video) => !video.paused)) {
    for (const video of videos) video.pause();
    return;
  }
  videos.forEach((video, place) => {
    video.muted = place < videos.length - 1;
    void play(video, streams, create);
  });
}

/** Let the button for both say what it does next. */
function nameButton(target: EventTarget | null): void {
  if (!(target instanceof HTMLVideoElement) || !("master" in target.dataset)) return;
  const both = target.closest("section")?.querySelector<HTMLElement>("[data-compared-both]");
  const label = both?.querySelector("span");
  if (!both || !label) return;
  label.textContent = videosOf(both).some((video) => !video.paused)
    ? t("Pause both")
    : t("Watch both");
}

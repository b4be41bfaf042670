/** Joins the media element to the progress: which seconds were played, and where one stands. */
import type { Progress, ProgressSink } from "./progress";
import { WatchedSeconds } from "./watched";

type Reporting = { sink: ProgressSink; leave: (progress: Progress) => void };

/**
 * Report while it plays, at once on pause and end, and when the page is hidden or left.
 * Returns how to stop.
 */
export function reportProgress(video: HTMLMediaElement, { sink, leave }: Reporting): () => void {
  const watched = new WatchedSeconds();
  const silence = new AbortController();
  const { signal } = silence;
  let isDirty = false;

  const progress = (): Progress => ({
    position: Math.round(video.currentTime * 10) / 10,
    watched: watched.pairs,
    at: new Date().toISOString(),
  });
  const note = (): void => {
    isDirty = true;
    sink.save(progress());
  };
  const rest = (): void => {
    watched.stop();
    if (video.readyState === 0) return;
    note();
    sink.flush();
    isDirty = false;
  };
  const go = (): void => {
    if (!isDirty) return;
    isDirty = false;
    leave(progress());
  };

  video.addEventListener(
    "timeupdate",
    () => {
      if (video.paused || video.seeking || video.readyState === 0) return;
      watched.at(video.currentTime);
      note();
    },
    { signal },
  );
  video.addEventListener("seeking", () => watched.stop(), { signal });
  video.addEventListener(
    "seeked",
    () => {
      if (video.readyState > 0) note();
    },
    { signal },
  );
  video.addEventListener("pause", rest, { signal });
  video.addEventListener("ended", rest, { signal });
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "hidden") go();
    },
    { signal },
  );
  addEventListener("pagehide", go, { signal });
  return () => {
    go();
    silence.abort();
  };
}

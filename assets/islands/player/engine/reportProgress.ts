/** Reports the played seconds and the position of the media element. */
import type { Progress, ProgressSink } from "./progress";
import { WatchedSeconds } from "./watched";

type Target = { sink: ProgressSink; leave: (progress: Progress) => void };

/**
 * Report while it plays, at once on pause and end, and when the page is hidden or left.
 * Returns a function that stops it.
 */
export function reportProgress(video: HTMLMediaElement, { sink, leave }: Target): () => void {
  const watched = new WatchedSeconds();
  const listening = new AbortController();
  const { signal } = listening;
  let isDirty = false;

  const progress = (): Progress => ({
    position: Math.round(video.currentTime * 10) / 10,
    watched: watched.pairs,
    at: new Date().toISOString(),
  });
  const save = (): void => {
    isDirty = true;
    sink.save(progress());
  };
  const saveNow = (): void => {
    watched.stop();
    if (video.readyState === 0) return;
    save();
    sink.flush();
    isDirty = false;
  };
  const saveOnLeave = (): void => {
    if (!isDirty) return;
    isDirty = false;
    leave(progress());
  };

  video.addEventListener(
    "timeupdate",
    () => {
      if (video.paused || video.seeking || video.readyState === 0) return;
      watched.at(video.currentTime);
      save();
    },
    { signal },
  );
  video.addEventListener("seeking", () => watched.stop(), { signal });
  video.addEventListener(
    "seeked",
    () => {
      if (video.readyState > 0) save();
    },
    { signal },
  );
  video.addEventListener("pause", saveNow, { signal });
  video.addEventListener("ended", saveNow, { signal });
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "hidden") saveOnLeave();
    },
    { signal },
  );
  addEventListener("pagehide", saveOnLeave, { signal });
  return () => {
    saveOnLeave();
    listening.abort();
  };
}

import { useSyncExternalStore } from "react";

/** Whether the stage fills the screen, and how to change it. */
export function useFullscreen(
  stage: HTMLElement | null,
  video: HTMLMediaElement,
): [isFull: boolean, toggle: () => void] {
  const isFull = useSyncExternalStore(onFullscreen, () => document.fullscreenElement !== null);
  const toggle = (): void => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else if (stage && "requestFullscreen" in stage) void stage.requestFullscreen();
    // On iPhones only the video itself can be shown full screen.
    else
      (
        video as HTMLMediaElement & { webkitEnterFullscreen?: () => void }
      ).webkitEnterFullscreen?.();
  };
  return [isFull, toggle];
}

function onFullscreen(listener: () => void): () => void {
  document.addEventListener("fullscreenchange", listener);
  return () => document.removeEventListener("fullscreenchange", listener);
}

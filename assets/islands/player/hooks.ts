import { useEffect, useState, useSyncExternalStore } from "react";

import type { Store } from "./engine/store";
import type { Playback, PlaybackState } from "./engine/playback";

/** One thing of the playback; what else changes does not redraw. It must be the same when equal. */
export function usePlayback<T>(playback: Playback, select: (state: PlaybackState) => T): T {
  return useSyncExternalStore(playback.subscribe, () => select(playback.state));
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, () => store.state);
}

export const QUIET_AFTER_MS = 3000;

/** Whether the controls should be out of sight: nobody has moved for 3 s, and nothing needs them. */
export function useQuiet(stage: HTMLElement | null, isPlaying: boolean): boolean {
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    if (!stage || !isPlaying) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isNeeded = (): boolean =>
      stage.querySelector(":focus-visible, [role=menu], [data-holds]") !== null;
    const rest = (): void => {
      if (isNeeded()) wake();
      else setQuiet(true);
    };
    const wake = (): void => {
      setQuiet(false);
      clearTimeout(timer);
      timer = setTimeout(rest, QUIET_AFTER_MS);
    };
    // A finger that calls the controls back must not press what it cannot see.
    const onTouch = (event: PointerEvent): void => {
      if (event.pointerType !== "touch" || !stage.classList.contains("is-quiet")) return;
      const swallow = (click: Event): void => {
        click.preventDefault();
        click.stopPropagation();
      };
      stage.addEventListener("click", swallow, { capture: true, once: true });
    };
    stage.addEventListener("pointerdown", onTouch, { capture: true });
    const signs = ["pointermove", "pointerdown", "focusin", "keydown"];
    for (const sign of signs) stage.addEventListener(sign, wake);
    timer = setTimeout(rest, QUIET_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stage.removeEventListener("pointerdown", onTouch, { capture: true });
      for (const sign of signs) stage.removeEventListener(sign, wake);
    };
  }, [stage, isPlaying]);
  return isQuiet && isPlaying;
}

/** Whether the stage fills the screen, and how to change it. */
export function useFullscreen(
  stage: HTMLElement | null,
  video: HTMLMediaElement,
): [isFull: boolean, toggle: () => void] {
  const isFull = useSyncExternalStore(onFullscreen, () => document.fullscreenElement !== null);
  const toggle = (): void => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else if (stage && "requestFullscreen" in stage) void stage.requestFullscreen();
    // An iPhone fills the screen with the video alone.
    else
      (
        video as HTMLMediaElement & { webkitEnterFullscreen?: () => void }
      ).webkitEnterFullscreen?.();
  };
  return [isFull, toggle];
}

function onFullscreen(heard: () => void): () => void {
  document.addEventListener("fullscreenchange", heard);
  return () => document.removeEventListener("fullscreenchange", heard);
}

import { useEffect, useRef } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { registerShortcuts, type Shortcut } from "../../shared/shortcuts";
import { addressOf, type LessonLink, type PlayerProps } from "./api";
import type { Player } from "./engine/player";

const SEEK_SECONDS = 5;

/** `onFullscreen` is null in the audio player. */
type Latest = { lesson: PlayerProps; onFullscreen: (() => void) | null };

function isOpen(lesson: LessonLink | null): lesson is LessonLink {
  return lesson !== null && lesson.state !== "locked";
}

/** The shortcuts of the player. Those of the page are in site/pageShortcuts.ts. */
export function playerShortcuts(player: Player, latest: () => Latest): Shortcut[] {
  const { playback } = player;
  const speed = (step: 1 | -1): void => {
    playback.stepSpeed(step);
    announce(t("Speed {speed}", { speed: playback.state.speed }));
  };
  const mute = (): void => {
    playback.toggleMute();
    announce(playback.state.isMuted ? t("Muted") : t("Sound on"));
  };
  const seek = (seconds: number): void => playback.seek(playback.state.time + seconds);
  const lesson = (which: "next" | "previous"): Pick<Shortcut, "run" | "isAvailable"> => ({
    run: () => {
      const one = latest().lesson[which];
      if (one) location.assign(addressOf(one, player.lesson.isAudioOnly));
    },
    isAvailable: () => isOpen(latest().lesson[which]),
  });
  const group = "playing";
  return [
    {
      keys: [" "],
      caps: [t("Space")],
      label: t("Play or pause"),
      group,
      run: () => playback.toggle(),
    },
    {
      keys: ["arrowleft"],
      caps: ["←"],
      label: t("Back 5 s"),
      group,
      run: () => seek(-SEEK_SECONDS),
    },
    {
      keys: ["arrowright"],
      caps: ["→"],
      label: t("Forward 5 s"),
      group,
      run: () => seek(SEEK_SECONDS),
    },
    { keys: ["-"], caps: ["-"], label: t("Slower"), group, run: () => speed(-1) },
    // "=" is the same key without Shift.
    { keys: ["+", "="], caps: ["+"], label: t("Faster"), group, run: () => speed(1) },
    { keys: ["m"], caps: ["M"], label: t("Mute"), group, run: mute },
    {
      keys: ["c"],
      caps: ["C"],
      label: t("Captions"),
      group,
      run: () => player.toggleCaptions(),
      isAvailable: () => player.lesson.captions.length > 0,
    },
    {
      keys: ["f"],
      caps: ["F"],
      label: t("Full screen"),
      group,
      run: () => latest().onFullscreen?.(),
      isAvailable: () => latest().onFullscreen !== null,
    },
    { keys: ["n"], caps: ["N"], label: t("Next lesson"), group: "lesson", ...lesson("next") },
    {
      keys: ["p"],
      caps: ["P"],
      label: t("Previous lesson"),
      group: "lesson",
      ...lesson("previous"),
    },
  ];
}

/** Registers the shortcuts of the player while it is on the page. */
export function useShortcuts(
  player: Player,
  lesson: PlayerProps,
  onFullscreen: Latest["onFullscreen"],
): void {
  const latest = useRef<Latest>({ lesson, onFullscreen });
  useEffect(() => {
    latest.current = { lesson, onFullscreen };
  });
  useEffect(() => registerShortcuts(playerShortcuts(player, () => latest.current)), [player]);
}

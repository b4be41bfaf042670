import { useEffect, useRef } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { registerShortcuts, type Shortcut } from "../../shared/shortcuts";
import { addressOf, type LessonLink, type PlayerProps } from "./api";
import type { Player } from "./engine/player";
import type { Switch, View } from "./view";

const SEEK_SECONDS = 5;
const LEAP_SECONDS = 10;
const DIGITS = Array.from({ length: 10 }, (_, digit) => String(digit));

/** `view` is null in the audio player. */
type Latest = { lesson: PlayerProps; view: View | null };

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
  const turn = (which: (view: View) => Switch | null): Pick<Shortcut, "run" | "isAvailable"> => {
    const find = (): Switch | null => {
      const { view } = latest();
      return view && which(view);
    };
    return { run: () => find()?.toggle(), isAvailable: () => find() !== null };
  };
  const group = "playing";
  return [
    {
      keys: [" ", "k"],
      caps: [t("Space"), "K"],
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
    { keys: ["j"], caps: ["J"], label: t("Back 10 s"), group, run: () => seek(-LEAP_SECONDS) },
    { keys: ["l"], caps: ["L"], label: t("Forward 10 s"), group, run: () => seek(LEAP_SECONDS) },
    {
      keys: DIGITS,
      caps: ["0", "…", "9"],
      label: t("Go to 0% … 90%"),
      group,
      run: (key) => playback.seek((playback.state.duration * Number(key)) / 10),
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
    { keys: ["f"], caps: ["F"], label: t("Full screen"), group, ...turn(({ full }) => full) },
    { keys: ["w"], caps: ["W"], label: t("Wide view"), group, ...turn(({ theater }) => theater) },
    {
      keys: ["i"],
      caps: ["I"],
      label: t("Picture in picture"),
      group,
      ...turn(({ picture }) => picture),
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
export function useShortcuts(player: Player, lesson: PlayerProps, view: View | null): void {
  const latest = useRef<Latest>({ lesson, view });
  useEffect(() => {
    latest.current = { lesson, view };
  });
  useEffect(() => registerShortcuts(playerShortcuts(player, () => latest.current)), [player]);
}

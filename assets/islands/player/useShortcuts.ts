import { useEffect, useRef } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import type { LessonLink, PlayerProps } from "./api";
import type { Player } from "./engine/player";
import { type Command, commandOf } from "./engine/shortcuts";

const SEEK_SECONDS = 5;

type Acts = { onFullscreen: () => void; onHelp: () => void };

function go(lesson: LessonLink | null): void {
  if (lesson && lesson.state !== "locked") location.assign(lesson.url);
}

/** What each key does. The page's own `/` (search) is site.ts's. */
function actionsOf(player: Player, lesson: PlayerProps, acts: Acts): Record<Command, () => void> {
  const { playback } = player;
  const speed = (step: 1 | -1): void => {
    playback.stepSpeed(step);
    announce(t("Speed {speed}", { speed: playback.state.speed }));
  };
  return {
    toggle: () => playback.toggle(),
    mute: () => {
      playback.toggleMute();
      announce(playback.state.isMuted ? t("Muted") : t("Sound on"));
    },
    fullscreen: acts.onFullscreen,
    back: () => playback.seek(playback.state.time - SEEK_SECONDS),
    forward: () => playback.seek(playback.state.time + SEEK_SECONDS),
    faster: () => speed(1),
    slower: () => speed(-1),
    next: () => go(lesson.next),
    previous: () => go(lesson.previous),
    bookmark: () => document.querySelector<HTMLElement>("[data-bookmark]")?.click(),
    help: acts.onHelp,
    home: () => location.assign("/"),
    captions: () => player.toggleCaptions(),
  };
}

/** Single keys for the whole page, as long as no field is in focus and the viewer wants them. */
export function useShortcuts(player: Player, lesson: PlayerProps, acts: Acts): void {
  const latest = useRef({ lesson, acts });
  useEffect(() => {
    latest.current = { lesson, acts };
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const command = commandOf(event);
      // Help tells how to switch the keys on again, so its own key always works.
      if (!command || (command !== "help" && !player.choices.state.hasShortcuts)) return;
      event.preventDefault();
      actionsOf(player, latest.current.lesson, latest.current.acts)[command]();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [player]);
}

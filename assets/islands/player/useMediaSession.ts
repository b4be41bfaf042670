import { useEffect } from "react";

import { addressOf, type LessonLink, type PlayerProps } from "./api";
import type { Player } from "./engine/player";

/** Shows the lesson on the lock screen and handles media keys (Media Session API). */
export function useMediaSession(player: Player, lesson: PlayerProps): void {
  useEffect(() => {
    const media = (navigator as { mediaSession?: MediaSession }).mediaSession;
    if (!media || !("MediaMetadata" in window)) return undefined;
    const poster = lesson.sources?.poster;
    media.metadata = new MediaMetadata({
      title: `${lesson.number} ${lesson.title}`,
      artist: lesson.course.title,
      artwork: poster ? [{ src: poster }] : [],
    });
    const { playback } = player;
    const by = (seconds: number) => () => playback.seek(playback.state.time + seconds);
    const to = (other: LessonLink | null) =>
      other && (() => location.assign(addressOf(other, player.lesson.isAudioOnly)));
    const handlers: [MediaSessionAction, MediaSessionActionHandler | null][] = [
      ["play", () => void playback.play()],
      ["pause", () => playback.pause()],
      ["seekbackward", by(-10)],
      ["seekforward", by(10)],
      ["seekto", ({ seekTime }) => playback.seek(seekTime ?? 0)],
      ["previoustrack", to(lesson.previous)],
      ["nexttrack", to(lesson.next)],
    ];
    for (const [action, handler] of handlers) media.setActionHandler(action, handler);
    return () => {
      for (const [action] of handlers) media.setActionHandler(action, null);
      media.metadata = null;
    };
  }, [player, lesson]);
}

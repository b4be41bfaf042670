import { type RefObject, useEffect, useState } from "react";

import { fetchSound, type Sound } from "./api";
import { type Cues, cueAt } from "./cues";
import type { PlayedVideo } from "../../shared/video/playedVideo";

/** The loudness of a video over time; null while it is not known. */
export function useSound(video: string, hasAudio: boolean): Sound | null {
  const [sound, setSound] = useState<Sound | null>(null);
  useEffect(() => {
    let isOver = false;
    if (hasAudio)
      fetchSound(video)
        .then((found) => {
          if (!isOver) setSound(found);
        })
        .catch(() => undefined); // captions can be edited without it
    return () => {
      isOver = true;
    };
  }, [video, hasAudio]);
  return sound;
}

/** While the video plays and nobody types, show the cue that is heard. */
export function useFollowing(
  video: PlayedVideo,
  shown: Cues,
  root: RefObject<HTMLElement | null>,
  show: (id: string) => void,
): void {
  useEffect(() => {
    let last: string | undefined;
    return video.subscribe(() => {
      const { isPlaying, time } = video.state();
      if (!isPlaying) return;
      const id = cueAt(shown, time)?.id;
      if (id === undefined || id === last) return;
      last = id;
      if (root.current?.querySelector(".cues")?.contains(document.activeElement)) return;
      show(id);
    });
  }, [video, shown, root, show]);
}

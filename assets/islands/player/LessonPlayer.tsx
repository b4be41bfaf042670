import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";

import {
  addressOf,
  fetchPlayer,
  isTemporary,
  type LessonLink,
  type PlayerProps,
  playerQuery,
  postProgress,
} from "./api";
import { Player } from "./engine/player";
import type { Saved } from "./engine/progress";
import type { CreateStream } from "../../shared/video/stream";
import { useMediaSession } from "./useMediaSession";
import { AudioStage } from "./AudioStage";
import { Stage } from "./Stage";

/** Session storage key: the address of a page that plays at once, as the user came from the end of a lesson. */
export const AUTOPLAY_KEY = "study.autoplay";

type Sources = NonNullable<PlayerProps["sources"]>;
type Props = {
  lesson: PlayerProps;
  sources: Sources;
  /** The id of the user whose progress is saved; empty if it is not saved. */
  person: string;
  startAt: number;
  startsAtOnce: boolean;
  isAudioOnly: boolean;
  /** How a video of another host is played and shown. */
  external?: {
    createStream: CreateStream;
    Shown: typeof Stage;
    onSaved: (saved: Saved) => void;
  };
};

/** The player of one lesson; updates the page around it as progress is saved. */
export function LessonPlayer({
  lesson,
  sources,
  person,
  startAt,
  startsAtOnce,
  isAudioOnly,
  external,
}: Props) {
  const queries = useQueryClient();
  const [certificate, setCertificate] = useState<string | null>(null);

  const [player] = useState(() => {
    let shown = lesson.course.completed_lessons;
    const onSaved = async (saved: Saved): Promise<void> => {
      external?.onSaved(saved);
      if (saved.certificate_url !== null) setCertificate(saved.certificate_url);
      if (!saved.newly_completed && saved.completed_lessons === shown) return;
      shown = saved.completed_lessons;
      // Most pages that are opened complete no lesson, so its code is fetched now.
      const { showCompletion } = await import("./showCompletion");
      const next = await showCompletion(lesson, saved);
      if (!next) return;
      const { queryKey } = playerQuery(lesson);
      queries.setQueryData(queryKey, (before) => before && { ...before, next });
    };
    return new Player(
      {
        uid: lesson.uid,
        duration: lesson.duration,
        startAt,
        poster: sources.poster,
        sources,
        captions: sources.captions,
        isAudioOnly,
      },
      {
        storage: localStorage,
        refresh: async () => (external ? sources : (await fetchPlayer(lesson.uid)).sources),
        ...(external && { createStream: external.createStream }),
        progress: lesson.may_save
          ? {
              person,
              post: postProgress,
              isTemporary,
              onSaved: (saved) => void onSaved(saved).catch(() => undefined),
              onRefused: (reason) =>
                void import("./showCompletion").then((module) => module.showRefusal(reason)),
            }
          : null,
      },
    );
  });
  useEffect(() => player.attach(), [player]);
  useEffect(() => {
    const start = takeRecordedStart();
    if (start !== null && start !== "") player.playFrom(Number(start));
    else if (start === "" || startsAtOnce) void player.playback.play();
  }, [player, startsAtOnce]);
  useMediaSession(player, lesson);

  const onNext = useCallback(
    (next: LessonLink) => {
      const address = addressOf(next, isAudioOnly);
      sessionStorage.setItem(AUTOPLAY_KEY, address);
      location.assign(address);
    },
    [isAudioOnly],
  );
  const Shown = external?.Shown ?? (isAudioOnly ? AudioStage : Stage);
  return <Shown player={player} lesson={lesson} certificate={certificate} onNext={onNext} />;
}

/** The start recorded before the player was loaded (site/islandStart.ts): the second to play from, "" for the saved position, or null. */
function takeRecordedStart(): string | null {
  const spot = document.querySelector<HTMLElement>("[data-island=player]");
  const start = spot?.dataset.start ?? null;
  delete spot?.dataset.start;
  document.documentElement.dataset.player = "";
  return start;
}

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { milestoneMessage } from "../../shared/milestones";
import { toast } from "../../shared/toasts";
import {
  addressOf,
  fetchOutline,
  fetchPlayer,
  isTemporary,
  type LessonLink,
  type PlayerProps,
  playerQuery,
  postProgress,
} from "./api";
import { showCourse, showOutline } from "./engine/updateLessonPage";
import { Player } from "./engine/player";
import type { Saved } from "./engine/progress";
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
};

/** The player of one lesson; updates the page around it as progress is saved. */
export function LessonPlayer({
  lesson,
  sources,
  person,
  startAt,
  startsAtOnce,
  isAudioOnly,
}: Props) {
  const queries = useQueryClient();
  const [certificate, setCertificate] = useState<string | null>(null);

  const [player] = useState(() => {
    const onSaved = (saved: Saved): void => {
      const counts = {
        completed_lessons: saved.completed_lessons,
        percent: saved.course_percent,
        lesson_count: lesson.course.lesson_count,
      };
      showCourse(document, counts);
      if (saved.certificate_url !== null) setCertificate(saved.certificate_url);
      if (saved.newly_completed) void onCompleted(saved);
    };
    const onCompleted = async (saved: Saved): Promise<void> => {
      const { number } = lesson;
      const milestone = milestoneMessage(saved.milestone);
      const spoken = t("Lesson {number} complete, {percent} percent of the course", {
        number,
        percent: saved.course_percent,
      });
      announce(`${spoken}. ${milestone}`.trim());
      celebrate(number, saved.certificate_url, milestone);
      const outline = await fetchOutline(lesson.course.slug).catch(() => null);
      if (!outline) return;
      showOutline(document, outline);
      // This may have unlocked the next lesson.
      const next = outline.sections
        .flatMap((section) => section.lessons)
        .find(({ uid }) => uid === lesson.next?.uid);
      if (next) {
        const { queryKey } = playerQuery(lesson);
        queries.setQueryData(queryKey, (before) => before && { ...before, next });
      }
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
        refresh: async () => (await fetchPlayer(lesson.uid)).sources,
        progress: lesson.may_save ? { person, post: postProgress, isTemporary, onSaved } : null,
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
  const Shown = isAudioOnly ? AudioStage : Stage;
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

function celebrate(number: string, certificate: string | null, milestone: string): void {
  if (certificate === null) {
    const done = t("Lesson {number} complete", { number });
    toast(milestone ? `${done}. ${milestone}` : done);
  } else {
    const onPress = (): void => location.assign(certificate);
    toast(t("Course complete"), {
      stays: true,
      action: { label: t("See your certificate"), onPress },
    });
  }
}

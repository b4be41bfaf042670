import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { makeError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { addressOf, type PlayerProps, playerQuery } from "./api";
import { StoredProgress, placeOf } from "./engine/progress";
import { AUTOPLAY_KEY, LessonPlayer } from "./LessonPlayer";

export type { PlayerProps };

/** Whether the lesson before this one asked it to play. */
function takeCarried(url: string): boolean {
  const isCarried = sessionStorage.getItem(AUTOPLAY_KEY) === url;
  sessionStorage.removeItem(AUTOPLAY_KEY);
  return isCarried;
}

/** `?t=436` in the address, else where the learner stopped. */
function startOf(lesson: PlayerProps, person: string): number {
  const asked = Number.parseFloat(new URLSearchParams(location.search).get("t") ?? "");
  const kept = lesson.may_save ? new StoredProgress(localStorage, person).all() : {};
  const place = Number.isFinite(asked) && asked >= 0 ? asked : placeOf(lesson, kept[lesson.uid]);
  return lesson.duration > 0 ? Math.min(place, lesson.duration) : place;
}

/** The player. Its props are those of `GET /api/v1/lessons/{uid}/player/`. */
export function Island(props: PlayerProps) {
  const { isLoading, user } = useAuth();
  const { data: lesson } = useQuery(playerQuery(props));
  const isAudioOnly = props.is_listening ?? false;
  const [startsAtOnce] = useState(() =>
    takeCarried(addressOf({ ...props, kind: "video" }, isAudioOnly)),
  );

  // Whose progress this is must be known before any is kept.
  if (isLoading)
    return (
      <section
        className={isAudioOnly ? "stage stage--listen" : "stage"}
        aria-busy="true"
        aria-label={isAudioOnly ? t("Audio player") : t("Video player")}
      />
    );
  if (!lesson.sources) {
    return (
      <section className="stage stage--msg" aria-label={t("Video player")}>
        <ErrorPanel
          error={makeError("LECTURE_UNAVAILABLE")}
          message={t("The video is still being processed. It will appear here automatically.")}
        />
      </section>
    );
  }
  const person = user?.id ?? user?.username ?? "";
  return (
    <LessonPlayer
      lesson={lesson}
      sources={lesson.sources}
      person={person}
      startAt={startOf(lesson, person)}
      startsAtOnce={startsAtOnce}
      isAudioOnly={isAudioOnly}
    />
  );
}

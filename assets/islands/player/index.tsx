import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { makeError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { addressOf, type PlayerProps, playerQuery } from "./api";
import { StoredProgress, resumePosition } from "./engine/progress";
import { later } from "./later";
import { AUTOPLAY_KEY, LessonPlayer } from "./LessonPlayer";

export type { PlayerProps };

/** Whether this page was opened from the end of another lesson and should play at once. */
function takeAutoplay(url: string): boolean {
  const isAutoplay = sessionStorage.getItem(AUTOPLAY_KEY) === url;
  sessionStorage.removeItem(AUTOPLAY_KEY);
  return isAutoplay;
}

const ExternalVideo = later(() => import("./ExternalVideo").then((module) => module.ExternalVideo));

/** The second to start from: `?t=436` of the address, else where the user stopped. */
function startOf(lesson: PlayerProps, person: string): number {
  const fromAddress = Number.parseFloat(new URLSearchParams(location.search).get("t") ?? "");
  const stored = lesson.may_save ? new StoredProgress(localStorage, person).all() : {};
  const place =
    Number.isFinite(fromAddress) && fromAddress >= 0
      ? fromAddress
      : resumePosition(lesson, stored[lesson.uid]);
  return lesson.duration > 0 ? Math.min(place, lesson.duration) : place;
}

/** The player. Its props are those of `GET /api/v1/lessons/{uid}/player/`. */
export function Island(props: PlayerProps) {
  const { isLoading, user } = useAuth();
  const { data: lesson } = useQuery(playerQuery(props));
  const isAudioOnly = props.is_listening ?? false;
  const [startsAtOnce] = useState(() =>
    takeAutoplay(addressOf({ ...props, kind: "video" }, isAudioOnly)),
  );

  // The user must be known before progress is stored.
  if (isLoading)
    return (
      <section
        className={isAudioOnly ? "stage stage--listen" : "stage"}
        aria-busy="true"
        aria-label={isAudioOnly ? t("Audio player") : t("Video player")}
      />
    );
  const person = user?.id ?? user?.username ?? "";
  if (lesson.external)
    return (
      <div className="plate__hold">
        <ExternalVideo
          lesson={lesson}
          external={lesson.external}
          person={person}
          // Until the length is known, no second is too late to resume at.
          startsFrom={startOf({ ...lesson, duration: lesson.duration || Infinity }, person)}
        />
      </div>
    );
  if (!lesson.sources) {
    return (
      <section className="stage stage--msg" aria-label={t("Video player")}>
        <ErrorPanel
          error={makeError("LECTURE_UNAVAILABLE")}
          message={
            lesson.is_processing
              ? t("The video is still being processed. It will appear here automatically.")
              : t("Its file couldn't be played or was removed. The instructor can upload it again.")
          }
        />
      </section>
    );
  }
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

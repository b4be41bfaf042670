import { useMutation } from "@tanstack/react-query";

import { announce } from "../../shared/announce";
import { type ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { showInLesson, type VideoLesson } from "./api";
import type { Job } from "./jobs";
import type { Transfers } from "../../shared/uploads/transfers";

type Props = {
  job: Job;
  /** Lessons without a video. */
  lessons: VideoLesson[];
  transfers: Transfers;
  onChange: () => void;
};

const NONE = "none";

/** Chooses the lesson that shows this video, or another one than its name told. */
export function LessonSelect({ job, lessons, transfers, onChange }: Props) {
  const { video, transfer } = job;
  const present = job.lesson ?? null;
  const showing = useMutation<unknown, ApiError, string>({
    mutationFn: async (chosen) => {
      const lesson = chosen === NONE ? null : chosen;
      if (video) {
        if (lesson !== null) await showInLesson(lesson, video.uid);
        if (present !== null) await showInLesson(present.uid, null);
      }
      if (transfer) transfers.setTarget(transfer.id, lesson);
    },
    onSuccess: (_, chosen) => {
      announce(
        chosen === NONE
          ? t("{name} is for no lesson now", { name: job.name })
          : t("{name} was added to the lesson", { name: job.name }),
      );
      onChange();
    },
  });
  const others = lessons.filter(({ uid }) => uid !== present?.uid);
  if (others.length === 0 && present === null)
    return (
      <p className="small muted">
        {t("All your video lessons already have a video. Add a lesson to use this one.")}
      </p>
    );
  const shown = present ? [present, ...others] : others;
  const courses = [...new Set(shown.map((lesson) => lesson.course_title))];
  return (
    <>
      <select
        className="select uploader__lesson"
        aria-label={t("Lesson for {name}", { name: job.name })}
        value={present?.uid ?? ""}
        disabled={showing.isPending}
        onChange={({ target }) => target.value !== "" && showing.mutate(target.value)}
      >
        {present ? (
          <option value={NONE}>{t("No lesson")}</option>
        ) : (
          <option value="">{t("Add to a lesson…")}</option>
        )}
        {courses.map((course) => (
          <optgroup key={course} label={course}>
            {shown
              .filter((lesson) => lesson.course_title === course)
              .map((lesson) => (
                <option key={lesson.uid} value={lesson.uid}>
                  {lesson.number} {lesson.title}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      {showing.error && (
        <p className="field__error" role="alert">
          {showing.error.message}
        </p>
      )}
    </>
  );
}

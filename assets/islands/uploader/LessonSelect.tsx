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

/** Chooses the lesson that shows this video. */
export function LessonSelect({ job, lessons, transfers, onChange }: Props) {
  const { video, transfer } = job;
  const showing = useMutation<unknown, ApiError, string>({
    mutationFn: async (lesson) => {
      if (video) await showInLesson(lesson, video.uid);
      else if (transfer) transfers.setTarget(transfer.id, lesson);
    },
    onSuccess: () => {
      announce(t("{name} was added to the lesson", { name: job.name }));
      onChange();
    },
  });
  if (lessons.length === 0)
    return (
      <p className="small muted">
        {t("All your video lessons already have a video. Add a lesson to use this one.")}
      </p>
    );
  const courses = [...new Set(lessons.map((lesson) => lesson.course_title))];
  return (
    <>
      <select
        className="select uploader__lesson"
        aria-label={t("Lesson for {name}", { name: job.name })}
        value=""
        disabled={showing.isPending}
        onChange={({ target }) => target.value !== "" && showing.mutate(target.value)}
      >
        <option value="">{t("Add to a lesson…")}</option>
        {courses.map((course) => (
          <optgroup key={course} label={course}>
            {lessons
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

/** What the page shows once a lesson is complete. */
import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { milestoneMessage } from "../../shared/milestones";
import { toast } from "../../shared/toasts";
import { toApiError } from "../../shared/api/errors";
import { fetchOutline, type LessonLink, type PlayerProps } from "./api";
import type { Saved } from "./engine/progress";
import { showCourse, showOutline } from "../../shared/updateLessonPage";

/**
 * Show the new counts of the course; if this progress completed the lesson, say so and show what it opened.
 * @returns the next lesson as it is now, if its state was fetched
 */
export async function showCompletion(
  { course, number, next }: PlayerProps,
  saved: Saved,
): Promise<LessonLink | undefined> {
  showCourse(document, {
    completed_lessons: saved.completed_lessons,
    percent: saved.course_percent,
    lesson_count: course.lesson_count,
  });
  if (!saved.newly_completed) return undefined;
  const milestone = milestoneMessage(saved.milestone);
  const spoken = t("Lesson {number} complete, {percent} percent of the course", {
    number,
    percent: saved.course_percent,
  });
  announce(`${spoken}. ${milestone}`.trim());
  celebrate(number, saved.certificate_url, milestone);
  const outline = await fetchOutline(course.slug).catch(() => null);
  if (!outline) return undefined;
  showOutline(document, outline);
  // This may have unlocked the next lesson.
  return outline.sections
    .flatMap((section) => section.lessons)
    .find(({ uid }) => uid === next?.uid);
}

let isRefused = false;

/** Say that progress is not saved, once per page: a playing video saves every few seconds. */
export function showRefusal(reason: unknown): void {
  if (isRefused) return;
  isRefused = true;
  const { message } = toApiError(reason);
  toast(t("The progress of a video couldn't be saved. {reason}", { reason: message }), {
    icon: "circle-alert",
    stays: true,
  });
}

function celebrate(number: string, certificate: string | null, milestone: string): void {
  if (certificate === null) {
    const done = t("Lesson {number} complete", { number });
    toast(milestone ? `${done}. ${milestone}` : done, { isSilent: true });
  } else {
    const onPress = (): void => location.assign(certificate);
    toast(t("Course complete"), {
      stays: true,
      action: { label: t("See your certificate"), onPress },
    });
  }
}

import { t } from "../../shared/i18n";
import type { Scope } from "./store";
import type { CourseLink, LessonLink } from "./types";

type Props = {
  scope: Scope;
  courses: readonly CourseLink[];
  /** Those of the chat, or of the lesson beside it. */
  course: CourseLink | null;
  lesson: LessonLink | null;
  onChange: (scope: Scope) => void;
};

/** What the tutor searches: a lesson, a course, or all courses that the learner may open. */
export function ScopeSelect({ scope, courses, course, lesson, onChange }: Props) {
  const isListed = course === null || courses.some(({ slug }) => slug === course.slug);
  const all = isListed ? courses : [course, ...courses];
  const value = scope.lesson ? "lesson" : scope.course ? `course:${scope.course}` : "";
  const choose = (next: string): void => {
    if (next === "lesson") onChange({ course: course?.slug ?? null, lesson: lesson?.slug ?? null });
    else onChange({ course: next ? next.slice("course:".length) : null, lesson: null });
  };
  return (
    <label className="row row--tight small faint tutor__scope">
      <span className="hide-s">{t("Reading")}</span>
      <select
        className="select"
        aria-label={t("Reading")}
        value={value}
        onChange={({ target }) => choose(target.value)}
      >
        {lesson && (
          <option value="lesson">{t("This lesson: {title}", { title: lesson.title })}</option>
        )}
        {all.map(({ slug, title }) => (
          <option key={slug} value={`course:${slug}`}>
            {title}
          </option>
        ))}
        <option value="">{t("All my courses")}</option>
      </select>
    </label>
  );
}

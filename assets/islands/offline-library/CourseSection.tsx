import { useId, useState } from "react";

import {
  type CourseGroup,
  isFinished,
  isComing,
  isPlayable,
  receivedOf,
} from "../../offline/controls/picking";
import { countLessons, roughSize, sizeOf } from "../../offline/controls/words";
import type { OfflineLesson } from "../../offline/types";
import { t, tn } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import { LessonRow } from "./LessonRow";
import { type Actions, LESSONS_ADDED_BY_PRESS } from "./useActions";

/** Finished lessons that are listed without being asked for, and all others. */
const MAX_FINISHED_SHOWN = 2;
const LESSONS_PER_PAGE = 20;

type Props = {
  group: CourseGroup;
  actions: Actions;
  isOnline: boolean;
  current: string | null;
};

/** The lessons of a course that are on this device. */
export function CourseSection({ group, actions, isOnline, current }: Props) {
  const { course, lessons } = group;
  const heading = useId();
  const [isWhole, setWhole] = useState(false);
  const { shown, folded } = foldLessons(lessons);
  return (
    <section aria-labelledby={heading}>
      <div className="kept__head">
        <span
          className="plate"
          aria-hidden="true"
          dangerouslySetInnerHTML={{ __html: course.plate }}
        />
        <div>
          <h2 className="h4" id={heading}>
            <a className="link--title" href={course.url}>
              {course.title}
            </a>
          </h2>
          <p className="small faint num">{summaryOf(lessons)}</p>
        </div>
        <CourseActions group={group} actions={actions} isOnline={isOnline} />
      </div>
      <ul className="kept__list">
        {(isWhole ? lessons : shown).map((lesson) => (
          <LessonRow
            key={lesson.uid}
            lesson={lesson}
            actions={actions}
            isOnline={isOnline}
            isCurrent={lesson.uid === current}
          />
        ))}
        {!isWhole && folded.length > 0 && (
          <li className="kept__rest">
            <span className="small muted">
              {folded.every(isFinished)
                ? tn(
                    "{count} more lesson, completed",
                    "{count} more lessons, all completed",
                    folded.length,
                  )
                : tn("{count} more lesson", "{count} more lessons", folded.length)}
            </span>
            <span className="kept__acts">
              <span className="kept__size">{roughSize(receivedOf(folded))}</span>
              <button
                className="btn btn--quiet btn--sm"
                type="button"
                aria-label={t("Show all lessons of {course}", { course: course.title })}
                onClick={() => setWhole(true)}
              >
                {t("Show")}
              </button>
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Those that are listed, and those that "Show" adds. One row is never folded alone. */
function foldLessons(lessons: readonly OfflineLesson[]): {
  shown: OfflineLesson[];
  folded: OfflineLesson[];
} {
  const open = lessons.filter((lesson) => !isFinished(lesson)).slice(0, LESSONS_PER_PAGE);
  const shown = [...open, ...lessons.filter(isFinished).slice(0, MAX_FINISHED_SHOWN)];
  const folded = lessons.filter((lesson) => !shown.includes(lesson));
  return folded.length > 1 ? { shown, folded } : { shown: [...lessons], folded: [] };
}

function summaryOf(lessons: readonly OfflineLesson[]): string {
  const count = countLessons(lessons.length);
  if (!lessons.some((lesson) => isPlayable(lesson) || isComing(lesson)))
    return t("{lessons}, none playable", { lessons: count });
  const received = receivedOf(lessons);
  const size = lessons.reduce((sum, one) => sum + Math.max(one.size, one.received), 0);
  if (size === 0) return count;
  const measure = lessons.every(isPlayable) ? roughSize(received) : sizeOf(received, size);
  return `${count}, ${measure}`;
}

function CourseActions({ group, actions, isOnline }: Omit<Props, "current">) {
  const { course, lessons } = group;
  const expired = lessons.filter(({ state }) => state === "expired");
  const isBusy = actions.busy === course.slug;
  const size = expired.reduce((sum, one) => sum + Math.max(0, one.size - one.received), 0);
  const renewal = size > 0 ? t("Renew all, {size}", { size: roughSize(size) }) : t("Renew all");
  return (
    <div className="row row--tight">
      {expired.length > 1 && (
        <Button
          look="quiet"
          size="sm"
          isBusy={isBusy}
          disabled={!isOnline}
          aria-label={[renewal, course.title].join(": ")}
          onClick={() => actions.renew(expired, course.slug)}
        >
          <Icon name="rotate-ccw" />
          {renewal}
        </Button>
      )}
      {isOnline && expired.length < 2 && (
        <Button
          look="quiet"
          size="sm"
          isBusy={isBusy}
          aria-label={t("Download the next {count} lessons of {course}", {
            count: LESSONS_ADDED_BY_PRESS,
            course: course.title,
          })}
          onClick={() => actions.addNext(course, lessons)}
        >
          <Icon name="cloud-download" />
          {t("Next {count}", { count: LESSONS_ADDED_BY_PRESS })}
        </Button>
      )}
      <Button
        look="quiet"
        size="sm"
        aria-label={t("Remove all lessons of {course}", { course: course.title })}
        onClick={() => actions.remove(lessons, course.slug)}
      >
        <Icon name="trash-2" />
        {t("Remove all")}
      </Button>
    </div>
  );
}

import { useState } from "react";

import { sortForClearing } from "../../offline/controls/picking";
import { countLessons, describeLesson, nameOf, roughSize } from "../../offline/controls/words";
import type { OfflineLesson } from "../../offline/types";
import { t } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";

type Props = {
  lessons: readonly OfflineLesson[];
  isOnline: boolean;
  onRemove: (uids: readonly string[]) => void;
  onClose: () => void;
};

/** What can be cleared: expired lessons, then finished ones, then the oldest. The first two are ticked. */
export function FreeSpaceDialog({ lessons, isOnline, onRemove, onClose }: Props) {
  const sorted = sortForClearing(lessons);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () =>
      new Set(
        sorted
          .filter(({ state, isCompleted }) => state === "expired" || isCompleted)
          .map(({ uid }) => uid),
      ),
  );
  const toggle = (uid: string): void =>
    setChosen((now) => {
      const next = new Set(now);
      if (!next.delete(uid)) next.add(uid);
      return next;
    });
  const size = sorted
    .filter(({ uid }) => chosen.has(uid))
    .reduce((sum, { received }) => sum + received, 0);
  const remove = (): void => {
    onRemove([...chosen]);
    onClose();
  };
  return (
    <Dialog
      title={t("Free up space")}
      onClose={onClose}
      actions={
        <>
          <button className="btn btn--quiet" type="button" onClick={onClose}>
            {t("Cancel")}
          </button>
          <button
            className="btn btn--danger-fill"
            type="button"
            disabled={chosen.size === 0}
            onClick={remove}
          >
            {chosen.size === 0
              ? t("Remove")
              : t("Remove {lessons}, {size}", {
                  lessons: countLessons(chosen.size),
                  size: roughSize(size),
                })}
          </button>
        </>
      }
    >
      <p>
        {t(
          "Expired and completed lessons come first, then the oldest. Your progress and notes are kept.",
        )}
      </p>
      <fieldset className="clearing mt-4">
        <legend className="vh">{t("Lessons to remove")}</legend>
        {sorted.map((lesson) => (
          <label className="check" key={lesson.uid}>
            <input
              type="checkbox"
              checked={chosen.has(lesson.uid)}
              onChange={() => toggle(lesson.uid)}
            />
            <span>
              {nameOf(lesson)}
              <span className="small faint block">
                {lesson.course.title}, {describeLesson(lesson, isOnline)}
              </span>
            </span>
            <span className="check__n">{roughSize(lesson.received)}</span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}

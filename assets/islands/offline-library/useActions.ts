import { useState } from "react";

import { openDownloadSheet } from "../../offline/controls/downloadSheet";
import { fetchCourse } from "../../offline/controls/api";
import { describeFailure } from "../../offline/controls/failures";
import { findNext } from "../../offline/controls/picking";
import type { Store } from "../../offline/controls/store";
import { countLessons, nameOf, roughSize } from "../../offline/controls/words";
import type { Account, OfflineLesson } from "../../offline/types";
import { confirmFirst } from "../../shared/confirming";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { keepFocus } from "./keepFocus";

export const LESSONS_ADDED_BY_PRESS = 10;

export type Actions = {
  /** The key of what is running: the uid of a lesson, the slug of a course. */
  busy: string | null;
  pause: (lesson: OfflineLesson) => void;
  resume: (lesson: OfflineLesson) => void;
  retry: (lesson: OfflineLesson) => void;
  cancel: (lesson: OfflineLesson) => void;
  dismiss: (lesson: OfflineLesson) => void;
  renew: (lessons: readonly OfflineLesson[], key: string) => void;
  remove: (lessons: readonly OfflineLesson[], key: string) => void;
  addNext: (course: OfflineLesson["course"], stored: readonly OfflineLesson[]) => void;
};

/** What can be done with lessons. A failure is said in a toast; the list follows. */
export function useActions(store: Store, account: Account, reload: () => Promise<void>): Actions {
  const [busy, setBusy] = useState<string | null>(null);

  const run = (key: string, work: () => Promise<unknown>): void => {
    if (busy === key) return;
    setBusy(key);
    void work()
      .catch((reason: unknown) => {
        toast(describeFailure(reason), { icon: "circle-alert" });
      })
      .then(reload)
      .finally(() => {
        setBusy(null);
        keepFocus();
      });
  };

  const remove = async (lessons: readonly OfflineLesson[]): Promise<void> => {
    const [first] = lessons;
    if (!first) return;
    const size = lessons.reduce((sum, { received }) => sum + received, 0);
    const isSure = await confirmFirst({
      title:
        lessons.length === 1
          ? t("Remove {lesson} from this device?", { lesson: nameOf(first) })
          : t("Remove {lessons} from this device?", { lessons: countLessons(lessons.length) }),
      text: t("This frees {size}. Your progress and notes are kept.", { size: roughSize(size) }),
      confirm: t("Remove"),
    });
    if (!isSure) return;
    await store.removeLessons(
      account,
      lessons.map(({ uid }) => uid),
    );
    toast(tn("{count} lesson removed", "{count} lessons removed", lessons.length));
  };

  const addNext = async (
    { slug }: OfflineLesson["course"],
    stored: readonly OfflineLesson[],
  ): Promise<void> => {
    const course = await fetchCourse(slug);
    const lessons = findNext(course.lessons, stored, LESSONS_ADDED_BY_PRESS);
    if (lessons.length === 0) {
      toast(t("The rest of this course is already on this device."), { icon: "info" });
      return;
    }
    await openDownloadSheet({
      title: tn("Keep the next lesson", "Keep the next {count} lessons", lessons.length),
      course,
      lessons,
      user: account.user,
      store,
    });
  };

  return {
    busy,
    pause: ({ uid }) => run(uid, () => store.pauseLesson(account, uid)),
    resume: ({ uid }) => run(uid, () => store.resumeLesson(account, uid)),
    retry: ({ uid }) => run(uid, () => store.retryLesson(account, uid)),
    cancel: ({ uid }) => run(uid, () => store.cancelLesson(account, uid)),
    dismiss: ({ uid }) => run(uid, () => store.removeLessons(account, [uid])),
    renew: (lessons, key) =>
      run(key, () =>
        store.renewLessons(
          account,
          lessons.map(({ uid }) => uid),
        ),
      ),
    remove: (lessons, key) => run(key, () => remove(lessons)),
    addNext: (course, stored) => run(course.slug, () => addNext(course, stored)),
  };
}

/** The button on the page of a lesson: downloads it, and says how far it is. */
import { t } from "../../shared/i18n";
import { drawIcon } from "../../shared/icons";
import { toast } from "../../shared/toasts";
import type { OfflineLesson } from "../types";
import { fetchCourse } from "./api";
import { openDownloadSheet } from "./downloadSheet";
import { findNext, isStorable } from "./picking";
import type { Store } from "./store";
import { buttonOf } from "./words";

/** Lessons that a tick in the dialog adds. */
const NEXT_LESSONS = 9;

export type LessonButton = {
  show: (stored: readonly OfflineLesson[]) => void;
  press: () => Promise<void>;
};

/** Give `[data-offline-lesson]` its states. */
export function createLessonButton(
  button: HTMLButtonElement,
  user: string,
  store: Store,
): LessonButton {
  const { offlineLesson: uid = "", offlineCourse: slug = "" } = button.dataset;

  const show = (stored: readonly OfflineLesson[]): void => {
    const { icon, label } = buttonOf(stored.find((one) => one.uid === uid) ?? null);
    const text = button.querySelector("span:not(.spin)");
    if (!text || text.textContent === label) return;
    text.textContent = label;
    button.querySelector("svg")?.replaceWith(drawIcon(icon));
  };

  const offer = async (stored: readonly OfflineLesson[]): Promise<void> => {
    const course = await fetchCourse(slug);
    const found = course.lessons.find((one) => one.uid === uid);
    if (!found || !isStorable(found)) {
      const reason = found?.refusal?.message ?? t("This lesson can't be downloaded.");
      toast(reason, { icon: "circle-alert" });
      return;
    }
    await openDownloadSheet({
      title: t("Keep this lesson for {count} days", { count: course.days }),
      course,
      lessons: [found],
      next: findNext(course.lessons, stored, NEXT_LESSONS, uid),
      user,
      store,
    });
  };

  const press = async (): Promise<void> => {
    const account = await store.readAccount();
    const stored = account ? await store.listLessons(account) : [];
    const state = stored.find((one) => one.uid === uid)?.state;
    if (!account || state === undefined || state === "ended") return offer(stored);
    switch (state) {
      case "downloading":
      case "waiting":
        return store.pauseLesson(account, uid);
      case "paused":
      case "held":
        return store.resumeLesson(account, uid);
      case "failed":
        return store.retryLesson(account, uid);
      case "expired":
        return store.renewLessons(account, [uid]);
      case "downloaded":
        location.assign("/offline");
        return undefined;
    }
  };
  return { show, press };
}

/** The button on the page of a lesson: downloads it, and says how far it is. */
import { t } from "../../shared/i18n";
import { drawIcon } from "../../shared/icons";
import { toast } from "../../shared/toasts";
import type { OfflineLesson, OfflineState } from "../types";
import { fetchCourse } from "./api";
import { openDownloadSheet } from "./downloadSheet";
import { findNext, isStorable } from "./picking";
import type { Store } from "./store";
import { actionOf, buttonOf } from "./words";

const LESSONS_ADDED_BY_TICK = 9;

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

  let state: OfflineState | undefined;
  const show = (stored: readonly OfflineLesson[]): void => {
    const lesson = stored.find((one) => one.uid === uid) ?? null;
    const { icon, label } = buttonOf(lesson);
    const hasFailed = lesson?.state === "failed" && state !== undefined && state !== "failed";
    state = lesson?.state;
    if (hasFailed && lesson.refusal)
      toast(lesson.refusal.message, { icon: "circle-alert", stays: true });
    const text = button.querySelector("span:not(.spin)");
    if (!text || text.textContent === label) return;
    text.textContent = label;
    const action = actionOf(lesson);
    if (action) button.setAttribute("aria-label", `${label}. ${action}`);
    else button.removeAttribute("aria-label");
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
      next: findNext(course.lessons, stored, LESSONS_ADDED_BY_TICK, uid),
      user,
      store,
    });
  };

  const press = async (): Promise<void> => {
    const account = await store.readAccount();
    const stored = account ? await store.listLessons(account) : [];
    const now = stored.find((one) => one.uid === uid)?.state;
    if (!account || now === undefined || now === "ended") return offer(stored);
    switch (now) {
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

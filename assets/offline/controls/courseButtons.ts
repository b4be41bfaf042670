/** Buttons that download a section, a course, or the next lessons of one, and the panel "Offline" beside a course. */
import { t, tn } from "../../shared/i18n";
import { drawIcon } from "../../shared/icons";
import { toast } from "../../shared/toasts";
import type { OfflineLesson, StorableCourse, StorableLesson } from "../types";
import { fetchCourse } from "./api";
import { openDownloadSheet } from "./downloadSheet";
import { findAddable, findNext, isPlayable } from "./picking";
import type { Store } from "./store";
import { countLessons, dayOf } from "./words";

const LESSONS_ADDED_BY_PRESS = 5;

async function readStored(store: Store): Promise<OfflineLesson[]> {
  const account = await store.readAccount();
  return account ? store.listLessons(account) : [];
}

/** What a button of the page is about, as its data attributes say. */
type Wanted = { slug: string; section: number | null; isNext: boolean };

function readWanted({ dataset }: HTMLElement): Wanted {
  const { offlineCourse = "", offlineSection, offlineNext } = dataset;
  return {
    slug: offlineCourse,
    section: offlineSection === undefined ? null : Number(offlineSection),
    isNext: offlineNext !== undefined,
  };
}

function pickLessons(
  { lessons }: StorableCourse,
  stored: readonly OfflineLesson[],
  { section, isNext }: Wanted,
): StorableLesson[] {
  if (isNext) return findNext(lessons, stored, LESSONS_ADDED_BY_PRESS);
  const own = section === null ? lessons : lessons.filter((one) => one.section === section);
  return findAddable(own, stored);
}

function titleOf({ section, isNext }: Wanted, count: number, days: number): string {
  if (isNext) return tn("Keep the next lesson", "Keep the next {count} lessons", count);
  return section === null
    ? t("Keep this course for {count} days", { count: days })
    : t("Keep section {section} for {count} days", { section, count: days });
}

/** Offer the lessons of a button that are not here yet. */
export async function offerLessons(button: HTMLElement, user: string, store: Store): Promise<void> {
  const wanted = readWanted(button);
  const [course, stored] = await Promise.all([fetchCourse(wanted.slug), readStored(store)]);
  const lessons = pickLessons(course, stored, wanted);
  if (lessons.length === 0) {
    toast(t("Everything you can download here is already on this device."), { icon: "info" });
    return;
  }
  await openDownloadSheet({
    title: titleOf(wanted, lessons.length, course.days),
    course,
    lessons,
    user,
    store,
  });
}

/** Show on the buttons of sections how many of their lessons are here. */
export function showSections(stored: readonly OfflineLesson[]): void {
  const here = new Set(stored.filter(isPlayable).map(({ uid }) => uid));
  for (const button of document.querySelectorAll<HTMLElement>("[data-offline-section]")) {
    const rows = [
      ...(button.closest("section")?.querySelectorAll<HTMLElement>("li[data-lesson]") ?? []),
    ];
    const count = rows.filter(({ dataset }) => here.has(dataset.lesson ?? "")).length;
    const text = button.querySelector("span");
    if (!text || rows.length === 0) continue;
    const isAll = count === rows.length;
    text.textContent = isAll
      ? t("On this device")
      : count > 0
        ? t("{count} of {total} on this device", { count, total: rows.length })
        : t("Download");
    button.setAttribute("aria-label", `${text.textContent}, ${button.dataset.offlineName ?? ""}`);
    button.querySelector("svg")?.replaceWith(drawIcon(isAll ? "circle-check" : "cloud-download"));
  }
}

/** Fill `[data-offline-panel]`: how much of the course is here, and until when. */
export function showPanel(panel: HTMLElement, stored: readonly OfflineLesson[]): void {
  const own = stored.filter(({ course }) => course.slug === panel.dataset.offlinePanel);
  const playable = own.filter(isPlayable);
  const expired = own.filter(({ state }) => state === "expired");
  const title = panel.querySelector("[data-offline-title]");
  const note = panel.querySelector("[data-offline-note]");
  if (!title || !note || own.length === 0) return;
  const until = Math.min(...playable.map(({ expiresAt }) => expiresAt));
  panel
    .querySelector("svg")
    ?.replaceWith(drawIcon(playable.length > 0 ? "circle-check" : "cloud-download"));
  title.textContent =
    playable.length > 0
      ? t("{lessons} on this device", { lessons: countLessons(playable.length) })
      : t("No lessons ready on this device yet");
  const notes = [
    playable.length > 0 ? t("Kept until {day}", { day: dayOf(until) }) : "",
    own.length > playable.length + expired.length
      ? t("{count} downloading", { count: own.length - playable.length - expired.length })
      : "",
    expired.length > 0 ? t("{count} expired", { count: expired.length }) : "",
  ];
  note.textContent = notes.filter(Boolean).join(", ");
}

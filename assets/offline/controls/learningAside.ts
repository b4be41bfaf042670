/** My Learning: what is on this device, beside the courses, and badges on their rows. */
import { createButton, element } from "../../shared/dialog";
import type { IconName } from "../../shared/iconNames";
import { t, tn } from "../../shared/i18n";
import { drawIcon } from "../../shared/icons";
import type { Account, OfflineLesson } from "../types";
import { type CourseGroup, groupByCourse, isPlayable, percentOf, receivedOf } from "./picking";
import { findLimit } from "./space";
import type { Store } from "./store";
import { countLessons, dayOf, describeLesson, nameOf, roughSize, sizeOf } from "./words";

const MAX_COURSES = 4;

function drawBar(percent: number, label: string): HTMLElement {
  const bar = element("progress", "bar bar--thin");
  bar.max = 100;
  bar.value = percent;
  bar.setAttribute("aria-label", label);
  return bar;
}

function drawRow(
  icon: IconName,
  look: string,
  title: string,
  note: string,
  ...end: readonly Node[]
): HTMLLIElement {
  const drawn = drawIcon(icon);
  if (look) drawn.classList.add(look);
  return element(
    "li",
    "",
    drawn,
    element("span", "", title, element("span", "small faint block", note)),
    ...end,
  );
}

function drawDownload(lesson: OfflineLesson, account: Account, store: Store): HTMLLIElement {
  const name = nameOf(lesson);
  const isPaused = lesson.state === "paused";
  const button = createButton("icon-btn icon-btn--sm", drawIcon(isPaused ? "play" : "pause"));
  button.setAttribute(
    "aria-label",
    isPaused
      ? t("Resume the download of {lesson}", { lesson: name })
      : t("Pause the download of {lesson}", { lesson: name }),
  );
  button.dataset.offlinePause = lesson.uid;
  button.addEventListener("click", () => {
    const act = isPaused ? store.resumeLesson : store.pauseLesson;
    void act(account, lesson.uid);
  });
  return drawRow(
    "cloud-download",
    "",
    name,
    describeLesson(lesson, navigator.onLine),
    button,
    drawBar(percentOf(lesson), t("Download of {lesson}", { lesson: name })),
  );
}

function drawCourse({ course, lessons }: CourseGroup): HTMLLIElement {
  const playable = lessons.filter(isPlayable);
  const size = element("span", "small faint num", roughSize(receivedOf(lessons)));
  const title = `${course.title}, ${countLessons(lessons.length)}`;
  if (playable.length > 0) {
    const until = Math.min(...playable.map(({ expiresAt }) => expiresAt));
    return drawRow("circle-check", "is-ok", title, t("Kept until {day}", { day: dayOf(until) }), size); // prettier-ignore
  }
  const expired = lessons.find(({ state }) => state === "expired");
  return expired
    ? drawRow(
        "cloud-off",
        "is-warn",
        title,
        t("Expired {day}, your progress is kept", { day: dayOf(expired.expiresAt) }),
        size,
      )
    : drawRow("hourglass", "", title, t("Not ready yet"), size);
}

/** Fill `[data-offline-aside]` with what is stored. */
export async function showAside(
  aside: HTMLElement,
  account: Account,
  stored: readonly OfflineLesson[],
  store: Store,
): Promise<void> {
  const place = aside.querySelector<HTMLElement>("[data-offline-stored]");
  if (!place || stored.length === 0) return;
  const [use, preferences] = await Promise.all([
    store.readStorageUse(account),
    store.readPreferences(),
  ]);
  const limit = findLimit({ use, preferences });
  const used = use.own + use.others;
  const bar = drawBar(limit > 0 ? (100 * used) / limit : 0, t("Space used by lessons"));
  const row = element(
    "p",
    "progress__row",
    element("span", "", countLessons(stored.length)),
    element("span", "", sizeOf(used, limit)),
  );
  const list = element("ul", "device mt-3");
  list.setAttribute("role", "list");
  const current = stored.find(({ state }) => ["downloading", "held", "paused"].includes(state));
  if (current) list.append(drawDownload(current, account, store));
  const courses = groupByCourse(stored);
  list.append(...courses.slice(0, MAX_COURSES).map(drawCourse));
  if (courses.length > MAX_COURSES) {
    const more = courses.length - MAX_COURSES;
    list.append(
      drawRow("ellipsis", "", tn("{count} more course", "{count} more courses", more), ""),
    );
  }
  const focused = document.activeElement;
  const kept = focused instanceof HTMLElement ? focused.dataset.offlinePause : undefined;
  place.replaceChildren(element("div", "progress", bar, row), list);
  if (kept) place.querySelector<HTMLElement>(`[data-offline-pause="${kept}"]`)?.focus();
}

function drawBadge(look: string, icon: IconName, text: string): HTMLElement {
  const badge = element("span", `badge ${look}`.trim(), drawIcon(icon), text);
  badge.dataset.offlineBadge = "";
  return badge;
}

/** Put badges on the rows of courses, `[data-offline-badges="slug"]`. */
export function showBadges(stored: readonly OfflineLesson[]): void {
  const groups = new Map(groupByCourse(stored).map((group) => [group.course.slug, group]));
  for (const place of document.querySelectorAll<HTMLElement>("[data-offline-badges]")) {
    for (const old of place.querySelectorAll("[data-offline-badge]")) old.remove();
    const group = groups.get(place.dataset.offlineBadges ?? "");
    if (group) place.prepend(...drawBadges(group));
  }
}

function drawBadges({ lessons }: CourseGroup): HTMLElement[] {
  const playable = lessons.filter(isPlayable);
  const expired = lessons.filter(({ state }) => state === "expired");
  const current = lessons.find(({ state }) => state === "downloading");
  const badges: HTMLElement[] = [];
  if (playable.length > 0)
    badges.push(
      drawBadge(
        "badge--accent",
        "circle-check",
        tn("{count} lesson offline", "{count} lessons offline", playable.length),
      ),
    );
  if (current)
    badges.push(
      drawBadge(
        "",
        "cloud-download",
        t("Downloading {number}, {percent}%", {
          number: current.number,
          percent: percentOf(current),
        }),
      ),
    );
  if (expired.length > 0) {
    const link = element("a", "link small", t("Renew them"));
    link.href = "/offline";
    link.dataset.offlineBadge = "";
    badges.push(
      drawBadge(
        "badge--warn",
        "cloud-off",
        tn("{count} download expired", "{count} downloads expired", expired.length),
      ),
      link,
    );
  }
  return badges;
}

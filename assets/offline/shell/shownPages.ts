/** The pages that the shell writes itself: what isn't on this device, is locked, has expired, or needs a connection. */
import { longDate } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import type { OfflineLesson } from "../types";
import { make, makeButton, makeIcon } from "./elements";

type Panel = {
  icon: IconName;
  title: string;
  body: string;
  acts?: Node[];
  /** Below: what is on this device instead. */
  more?: Node | undefined;
};

/** A page with one heading, a sentence, and what to do. */
export function makePage({ icon, title, body, acts = [], more }: Panel): HTMLElement {
  const page = make(
    "div",
    {},
    make(
      "section",
      { class: "panel empty mt-6", "aria-labelledby": "offline-title" },
      makeIcon(icon, "i--lg"),
      make("h1", { class: "h3", id: "offline-title" }, title),
      make("p", {}, body),
      make("div", { class: "row" }, ...acts),
    ),
  );
  if (more) page.append(more);
  return page;
}

const listLink = (): HTMLElement =>
  make("a", { class: "btn", href: "/offline" }, t("Lessons on this device"));

export function makeSignedOut(): HTMLElement {
  return makePage({
    icon: "lock",
    title: t("Sign in when you're back online"),
    body: t("Only the account that downloaded these lessons can open them, while it's signed in."),
    acts: [makeButton(t("Try again"), "btn--primary", () => location.reload())],
  });
}

/** What is stored has been spoiled. */
export function makeUnreadable(): HTMLElement {
  return makePage({
    icon: "circle-alert",
    title: t("This page can't be opened"),
    body: t(
      "What's stored of it on this device can't be read. It's downloaded again when you're online.",
    ),
    acts: [makeButton(t("Try again"), "btn--primary", () => location.reload()), listLink()],
  });
}

/** Any other page of the site. It opens by itself once there is a connection. */
export function makeNeedsConnection(): HTMLElement {
  return makePage({
    icon: "wifi-off",
    title: t("This page needs a connection"),
    body: t("It opens automatically once you're connected."),
    acts: [makeButton(t("Try again"), "btn--primary", () => location.reload()), listLink()],
  });
}

export function makeNotHere(course: readonly OfflineLesson[]): HTMLElement {
  return makePage({
    icon: "cloud-off",
    title: t("This lesson isn't on this device"),
    body: t("When you're online, press Download under the lesson to open it here too."),
    acts: [listLink()],
    more: makeLessonList(t("On this device from this course"), course),
  });
}

/** A course: its lessons on this device. */
export function makeCourse(lessons: readonly OfflineLesson[]): HTMLElement {
  const [first] = lessons;
  if (!first) return makeNotHere([]);
  return makePage({
    icon: "wifi-off",
    title: first.course.title,
    body: tn(
      "{count} lesson of this course is on this device.",
      "{count} lessons of this course are on this device.",
      lessons.length,
    ),
    acts: [listLink()],
    more: makeLessonList(t("On this device from this course"), lessons),
  });
}

/** A lesson that is on its way, or whose time on this device is over. */
export function makeNotPlayable(lesson: OfflineLesson, renew: HTMLElement): HTMLElement {
  const { state, refusal, number, title, expiresAt, received, size } = lesson;
  const name = `${number} ${title}`.trim();
  if (state === "expired")
    return makePage({
      icon: "cloud-off",
      title: t("{lesson} has expired on this device", { lesson: name }),
      body: t("It expired on {day}. Your progress and notes are kept.", {
        day: longDate(expiresAt),
      }),
      acts: [renew, listLink()],
    });
  if (state === "ended" || state === "failed")
    return makePage({
      icon: "circle-alert",
      title: refusal?.title ?? t("{lesson} isn't on this device anymore", { lesson: name }),
      body: refusal?.message ?? t("Your progress and notes are kept."),
      acts: [listLink()],
    });
  const percent = size > 0 ? Math.floor((received * 100) / size) : 0;
  return makePage({
    icon: "hourglass",
    title: t("{lesson} isn't downloaded yet", { lesson: name }),
    body: t("{percent}% is downloaded. The download continues when you're back online.", {
      percent,
    }),
    acts: [listLink()],
  });
}

/** A lesson that opens after others. */
export function makeLocked(
  name: string,
  missing: readonly { title: string; url: string }[],
): HTMLElement {
  const rows = missing.map(({ title, url }) =>
    make(
      "li",
      {},
      url ? make("a", { class: "link", href: url }, title) : title,
      ...(url ? [] : [make("span", { class: "small faint" }, " ", t("not on this device"))]),
    ),
  );
  return makePage({
    icon: "lock",
    title: t("{lesson} isn't open yet", { lesson: name }),
    body: tn("Complete this lesson first:", "Complete these lessons first:", missing.length),
    acts: [make("ul", { class: "stack gap-2", role: "list" }, ...rows)],
  });
}

function makeLessonList(
  heading: string,
  lessons: readonly OfflineLesson[],
): HTMLElement | undefined {
  if (lessons.length === 0) return undefined;
  const rows = lessons.map(({ url, number, title }) =>
    make("li", {}, make("a", { class: "link", href: url }, `${number} ${title}`.trim())),
  );
  return make(
    "section",
    { class: "mt-6", "aria-labelledby": "offline-more" },
    make("h2", { class: "h5", id: "offline-more" }, heading),
    make("ul", { class: "stack gap-2 mt-3", role: "list" }, ...rows),
  );
}

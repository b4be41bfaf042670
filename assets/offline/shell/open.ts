/** Opens what the address asks for, from this device. */
import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { makeAudioPage } from "./audioPage";
import { missingFor } from "./courseState";
import { makeButton, makeWaitingButton } from "./elements";
import type { Route } from "./route";
import {
  makeCourse,
  makeLocked,
  makeNeedsConnection,
  makeNotHere,
  makeNotPlayable,
  makeSignedOut,
} from "./shownPages";
import { showDashboard, showPractice } from "./showStored";
import { showLesson } from "./showLesson";
import { showMain } from "./showMain";
import type { Store } from "./store";
import type { OfflineLesson } from "../types";

/** What a page is for the line above it, and for when there is a connection again. */
export type Opened = {
  /** Everything on it works without a connection. */
  works: boolean;
  /** The server has this page, too. */
  isReplaceable: boolean;
};

const works: Opened = { works: true, isReplaceable: true };
const waits: Opened = { works: false, isReplaceable: true };

/** The list of lessons, which the page has; islands.ts mounts it. */
function showList(): Opened {
  const home = document.querySelector<HTMLElement>("[data-offline-home]");
  if (home) home.hidden = false;
  document.querySelector("#main")?.removeAttribute("aria-busy");
  return { works: true, isReplaceable: false };
}

/** A page of the shell's own. */
function showOwn(content: HTMLElement): Opened {
  const title = content.querySelector("h1")?.textContent ?? "";
  showMain({ title, look: "page", content });
  return waits;
}

/**
 * @param store null: nobody is signed in, or this browser stores nothing of theirs
 * @param hasStored whether it stores something of anybody
 */
export async function openRoute(
  store: Store | null,
  route: Route,
  hasStored: boolean,
): Promise<Opened> {
  if (route.page === "list") return showList();
  if (!store)
    return showOwn(route.page === "other" || !hasStored ? makeNeedsConnection() : makeSignedOut());
  switch (route.page) {
    case "lesson":
      return openLesson(store, await store.findByPath(route.path), courseOf(route.path));
    case "stored":
    case "audio": {
      const lessons = await store.listLessons();
      const lesson = lessons.find(({ uid }) => uid === route.lesson) ?? null;
      const opened = await openLesson(store, lesson, "", route.page === "audio");
      return route.page === "stored" ? { ...opened, isReplaceable: false } : opened;
    }
    case "course": {
      const lessons = await lessonsOf(store, route.slug);
      return showOwn(lessons.length > 0 ? makeCourse(lessons) : makeNotHere([]));
    }
    case "dashboard":
      return (await showDashboard(store)) ? works : showOwn(makeNeedsConnection());
    case "practice":
      await showPractice(store);
      return works;
    case "other":
      return showOwn(makeNeedsConnection());
  }
}

const courseOf = (path: string): string => path.split("/")[2] ?? "";

async function lessonsOf(store: Store, slug: string): Promise<OfflineLesson[]> {
  const lessons = await store.listLessons();
  return lessons.filter(({ course, state }) => course.slug === slug && state === "downloaded");
}

async function openLesson(
  store: Store,
  lesson: OfflineLesson | null,
  slug: string,
  isListening = false,
): Promise<Opened> {
  if (!lesson) return showOwn(makeNotHere(await lessonsOf(store, slug)));
  const pack = lesson.state === "downloaded" ? await store.readPackage(lesson.uid) : null;
  if (!pack) return showOwn(makeNotPlayable(lesson, renewButton(store, lesson)));
  const missing = await missingFor(store, pack);
  if (missing.length > 0) {
    const name = `${lesson.number} ${lesson.title}`.trim();
    return showOwn(makeLocked(name, missing));
  }
  await showLesson(store, pack, isListening ? makeAudioPage : undefined);
  return works;
}

/** Renewing needs the server; while it isn't there, the button says so. */
function renewButton(store: Store, lesson: OfflineLesson): HTMLElement {
  if (!navigator.onLine)
    return makeWaitingButton(t("Renew"), t("You can renew it when you're back online."));
  return makeButton(t("Renew"), "btn--primary", () => {
    announce(t("Renewing"));
    void store.renew(lesson);
  });
}

/** Opens what the address asks for, from this device. */
import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { makeAudioPage } from "./audioPage";
import { missingFor } from "./courseState";
import { makeButton, makeWaitingButton } from "./elements";
import { makeLeftAttempt } from "./leftAttempt";
import type { Route } from "./route";
import {
  makeCourse,
  makeLocked,
  makeNeedsConnection,
  makeNotHere,
  makeNotPlayable,
  makeSignedOut,
  makeUnreadable,
} from "./shownPages";
import { showDashboard, showPractice } from "./showStored";
import { showLesson } from "./showLesson";
import { showMain } from "./showMain";
import type { Store } from "./store";
import type { OfflineLesson } from "../types";

/** What a page is for the line above it, and for when there is a connection again. */
export type Opened = {
  /** It works without a connection. */
  works: boolean;
  /** What works on it, in a sentence for the line above it; empty if there is nothing to say. */
  promise: string;
  /** The server has this page, too. */
  isReplaceable: boolean;
};

/** A page on which something can be done. */
const useful = (): Opened => ({
  works: true,
  promise: t("What you do here is saved and sent when you're back online."),
  isReplaceable: true,
});
const readable: Opened = { works: true, promise: "", isReplaceable: true };
const waits: Opened = { works: false, promise: "", isReplaceable: true };

/** The list of lessons, at an address of its own. */
export const makeOpenedList = (): Opened => ({
  works: true,
  promise: t("Everything on this page still works."),
  isReplaceable: false,
});

/** The list of lessons, which the page has; islands.ts mounts it. */
function showList(): Opened {
  const home = document.querySelector<HTMLElement>("[data-offline-home]");
  if (home) home.hidden = false;
  document.querySelector("#main")?.removeAttribute("aria-busy");
  return makeOpenedList();
}

/** A page of the shell's own. */
function showOwn(content: HTMLElement): Opened {
  const title = content.querySelector("h1")?.textContent ?? "";
  showMain({ title, look: "page", content });
  return waits;
}

/**
 * Show what the address asks for.
 * @param store null: nobody is signed in, or this browser stores nothing of theirs
 * @param hasStored whether it stores something of anybody
 */
export async function openRoute(
  store: Store | null,
  route: Route,
  hasStored: boolean,
): Promise<Opened> {
  try {
    return await open(store, route, hasStored);
  } catch {
    return showOwn(makeUnreadable());
  }
}

async function open(store: Store | null, route: Route, hasStored: boolean): Promise<Opened> {
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
      if (!lesson) await showLeftAttempt(store, route.lesson, "");
      return route.page === "stored" ? { ...opened, isReplaceable: false } : opened;
    }
    case "course": {
      const lessons = await lessonsOf(store, route.slug);
      return showOwn(lessons.length > 0 ? makeCourse(lessons) : makeNotHere([]));
    }
    case "dashboard":
      return (await showDashboard(store)) ? readable : showOwn(makeNeedsConnection());
    case "practice":
      return (await showPractice(store)) ? useful() : waits;
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
  // What can be opened is, also while a newer copy of it is on its way, or has failed.
  const isOver = lesson.state === "expired" || lesson.state === "ended";
  const pack = isOver ? null : await store.readPackage(lesson.uid);
  if (!pack) {
    const opened = showOwn(makeNotPlayable(lesson, renewButton(store, lesson)));
    await showLeftAttempt(store, lesson.uid, lesson.title);
    return opened;
  }
  const missing = await missingFor(store, pack);
  if (missing.length > 0) {
    const name = `${lesson.number} ${lesson.title}`.trim();
    return showOwn(makeLocked(name, missing));
  }
  await showLesson(store, pack, isListening ? makeAudioPage : undefined);
  return useful();
}

/** Below why the lesson isn't shown: the attempt that is still open in it. */
async function showLeftAttempt(store: Store, lesson: string, title: string): Promise<void> {
  const left = await makeLeftAttempt(store, lesson, title);
  if (left) document.querySelector("#main")?.append(left);
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

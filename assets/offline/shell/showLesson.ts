/** Shows the stored page of a lesson in `<main>`, as it is on this device by now. */
import { showOutline } from "../../shared/updateLessonPage";
import type { LessonPackage } from "../types";
import type { QuizHere } from "./api/quiz";
import { quizHere } from "./api/quiz";
import { notesHere } from "./api/notes";
import { isDeleted } from "../../shared/notes/content";
import { outlineOf } from "./courseState";
import { loadSheets, runScripts } from "./files";
import type { LocalLesson } from "./localLesson";
import { localPlayer } from "./localPlayer";
import { mountIslands } from "./mountIslands";
import { explainWhatNeedsConnection, markAbsentLessons } from "./needsConnection";
import { contentOf, patchProps, playerOf } from "./pageProps";
import type { Store } from "./store";
import { showMain } from "./showMain";
import { make } from "./elements";
import { t } from "../../shared/i18n";

/** @param change the content before it is shown, such as for the audio player */
export async function showLesson(
  store: Store,
  pack: LessonPackage,
  change: (content: HTMLElement) => void = () => undefined,
): Promise<void> {
  const { page, uid } = pack;
  const open = (known: LocalLesson) => ({ ...known, openedAt: known.openedAt || store.now() });
  const local = await store
    .changeLocal(uid, open)
    .catch(async () => open(await store.readLocal(uid))); // the storage is full
  const content = document.createElement("main");
  content.append(document.importNode(contentOf(pack), true));
  const player = playerOf(pack);
  if (player) {
    const here = await localPlayer(store, pack, player);
    patchProps(content, "player", () => here);
    showPlace(content, here.position);
  }
  if (pack.quiz) {
    const quiz: QuizHere = await quizHere(store, pack, pack.quiz);
    patchProps(content, "quiz", () => quiz);
    emptyFallback(content, "quiz");
  }
  showMarks(
    content,
    [...notesHere(pack.notes, local).values()].filter((note) => !isDeleted(note)),
  );
  const isDone = pack.is_completed || local.isCompleted;
  showReading(content, isDone, (store.now() - local.openedAt) / 1000);
  showOutline(content, await outlineOf(store, pack));
  const lessons = await store.listLessons();
  markAbsentLessons(
    content,
    new Set(lessons.filter(({ state }) => state === "downloaded").map((lesson) => lesson.uid)),
  );
  explainWhatNeedsConnection(content);
  change(content);
  await loadSheets(page.sheets);
  const main = showMain({ title: page.title, look: page.main_class, content });
  main.dataset.lessonPage = uid;
  await Promise.all([mountIslands(main), runScripts(page.scripts)]);
}

/** The second at which the video begins, on the button that starts it. */
function showPlace(content: HTMLElement, position: number): void {
  const start = content.querySelector<HTMLElement>("[data-island=player] [data-start]");
  if (start) start.dataset.begin = String(Math.floor(position));
  const line = content.querySelector<HTMLElement>("[data-timeline]");
  if (line) line.dataset.position = String(position);
}

/** The quiz of the stored page may be further by now: its form would show an older state until the island is there. */
function emptyFallback(content: HTMLElement, island: string): void {
  content.querySelector(`[data-island="${island}"]`)?.replaceChildren();
}

type Note = LessonPackage["notes"][number];

/** The notes on the scrubber, and their number on the button. */
function showMarks(content: HTMLElement, notes: readonly Note[]): void {
  const place = content.querySelector<HTMLElement>("[data-timeline]");
  if (place?.dataset.marks !== undefined)
    place.dataset.marks = JSON.stringify(
      notes
        .filter(({ second }) => second !== null)
        .map(({ second, text, kind }) => [second, text.slice(0, 80), kind]),
    );
  const count = notes.filter(({ kind }) => kind === "note").length;
  for (const number of content.querySelectorAll<HTMLElement>("[data-note-count]")) {
    number.textContent = String(count);
    number.hidden = count === 0;
  }
}

/** The end of a text: complete, or after the rest of the time that reading takes. */
function showReading(content: HTMLElement, isDone: boolean, seconds: number): void {
  const end = content.querySelector<HTMLElement>("[data-reading-end]");
  if (end)
    end.dataset.wait = String(Math.max(0, Math.ceil(Number(end.dataset.wait ?? 0) - seconds)));
  if (!isDone) return;
  if (end) {
    end.dataset.readingEnd = "";
    end.replaceChildren(make("p", { class: "strong" }, t("You've completed this lesson.")));
  }
  const fetched = content.querySelector<HTMLElement>("[data-fetch]");
  if (fetched) fetched.dataset.fetch = "";
}

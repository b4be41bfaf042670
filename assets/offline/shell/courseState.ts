/** The state of a course on this device: what the stored page says, and what was completed here since. */
import type { components } from "../../shared/api/schema.gen";
import type { LessonPackage, OfflineLesson } from "../types";
import { contentOf } from "./pageProps";
import type { Store } from "./store";

type Schemas = components["schemas"];
type LessonLink = Schemas["LessonLink"];
type Outline = Schemas["OutlineOut"];

/** The numbers of a text such as “15 of 36 lessons”, whatever its language. */
const numbersOf = (text: string): number[] => [...text.matchAll(/\d+/g)].map(Number);

const isDoneRow = (row: Element): boolean => row.querySelector(".lesson--done") !== null;

/** The lessons of the course that are complete, on this device or elsewhere, as far as it knows. */
async function completedHere(store: Store, rows: readonly HTMLElement[]): Promise<Set<string>> {
  const touched = new Set(await store.listLocal());
  const completed = await store.readCompleted();
  const all = rows.map((row) => row.dataset.lesson ?? "");
  const uids = all.filter((uid) => touched.has(uid));
  const local = await Promise.all(uids.map((uid) => store.readLocal(uid)));
  return new Set([
    ...uids.filter((_, place) => local[place]?.isCompleted),
    ...all.filter((uid) => completed.has(uid)),
  ]);
}

const rowsOf = (root: ParentNode): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>("[data-lesson]"),
];

/** How many lessons of the course are complete, and how many percent of it. */
export async function countOf(
  store: Store,
  pack: LessonPackage,
): Promise<{ done: number; total: number; percent: number }> {
  const page = contentOf(pack);
  const rows = rowsOf(page);
  const [before = 0, total = rows.length] = numbersOf(
    page.querySelector("[data-course-count]")?.textContent ?? "",
  );
  const here = await completedHere(store, rows);
  const added = rows.filter((row) => here.has(row.dataset.lesson ?? "") && !isDoneRow(row));
  const done = Math.min(total, before + added.length);
  return { done, total, percent: total > 0 ? Math.floor((done * 100) / total) : 0 };
}

/** What a lesson of the list needs to be open here. */
function stateOf(row: HTMLElement, isCompleted: boolean, isOpenHere: boolean): LessonLink["state"] {
  if (isCompleted || isDoneRow(row)) return "completed";
  const shown = row.querySelector(".lesson");
  if (shown?.hasAttribute("aria-current")) return "in_progress";
  return shown?.matches(".lesson--lock") && !isOpenHere ? "locked" : "available";
}

/** The course as `GET /courses/{slug}/outline/` tells it, made from the list of the stored page. */
export async function outlineOf(store: Store, pack: LessonPackage): Promise<Outline> {
  const page = contentOf(pack);
  const here = await completedHere(store, rowsOf(page));
  const stored = new Map((await store.listLessons()).map((lesson) => [lesson.uid, lesson]));
  const open = await openedHere(store, pack, here, stored);
  const linkOf = (row: HTMLElement): LessonLink => {
    const uid = row.dataset.lesson ?? "";
    const known = stored.get(uid);
    const title = row.querySelector(".lesson__title");
    const number = title?.querySelector(".lesson__no")?.textContent ?? "";
    return {
      uid,
      number,
      title: (title?.textContent ?? "").slice(number.length).trim(),
      kind: known?.kind ?? "video",
      duration: known?.duration ?? 0,
      url: known?.url ?? row.querySelector("a")?.getAttribute("href") ?? "",
      state: stateOf(row, here.has(uid), open.has(uid)),
    };
  };
  const sections = [...page.querySelectorAll<HTMLElement>(".player__sec")].map((part, place) => {
    const count = part.querySelector<HTMLElement>("[data-section-count]");
    const lessons = rowsOf(part).map(linkOf);
    const [, total = lessons.length] = numbersOf(count?.textContent ?? "");
    const done = lessons.filter(({ state }) => state === "completed").length;
    return {
      number: Number(count?.dataset.sectionCount ?? place + 1),
      title: part.querySelector("summary b")?.textContent ?? "",
      completed_lessons: Math.min(done, total),
      lesson_count: total,
      lessons,
    };
  });
  const { done, total, percent } = await countOf(store, pack);
  const course = { ...pack.course, completed_lessons: done, lesson_count: total, percent };
  return { course, sections };
}

/** The stored lessons of the course whose required lessons are complete by now. */
async function openedHere(
  store: Store,
  pack: LessonPackage,
  here: Set<string>,
  stored: Map<string, OfflineLesson>,
): Promise<Set<string>> {
  const open = new Set<string>();
  for (const { uid, course, state } of stored.values()) {
    if (course.slug !== pack.course.slug || state !== "downloaded") continue;
    const other = await store.readPackage(uid).catch(() => null);
    const isOpen = other?.requires.every((one) => here.has(one) || stored.get(one)?.isCompleted);
    if (isOpen) open.add(uid);
  }
  return open;
}

/** The lessons to complete before this one may be opened, as far as this device knows. */
export async function missingFor(
  store: Store,
  pack: LessonPackage,
): Promise<{ uid: string; title: string; url: string }[]> {
  const stored = new Map((await store.listLessons()).map((lesson) => [lesson.uid, lesson]));
  const rows = new Map(rowsOf(contentOf(pack)).map((row) => [row.dataset.lesson, row]));
  const completed = await store.readCompleted();
  const missing = [];
  for (const uid of pack.requires) {
    const known = stored.get(uid);
    if (known?.isCompleted || completed.has(uid) || (await store.readLocal(uid)).isCompleted)
      continue;
    const row = rows.get(uid);
    const words = row?.querySelector(".lesson__title")?.textContent.trim();
    missing.push({
      uid,
      title: known ? `${known.number} ${known.title}`.trim() : (words ?? ""),
      url: known?.state === "downloaded" ? known.url : "",
    });
  }
  return missing;
}

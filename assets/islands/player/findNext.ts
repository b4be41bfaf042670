/** The lesson after the one that ended, in the course as it is by now. */
import type { LessonLink, Outline } from "./api";

/**
 * Return the known next lesson if the course still has it, otherwise the one that takes its place; null at the end.
 * @param page the lesson list of the page, as it was: it says what followed a lesson that was taken out itself
 */
export function findNext(
  page: ParentNode,
  { sections }: Outline,
  uid: string,
  known: LessonLink | null,
): LessonLink | null {
  const lessons = sections.flatMap((section) => section.lessons);
  const find = (wanted?: string) => lessons.find((lesson) => lesson.uid === wanted);
  const at = lessons.findIndex((lesson) => lesson.uid === uid);
  if (!known || find(known.uid)) return known;
  if (at >= 0) return lessons[at + 1] ?? null;
  const rows = [...page.querySelectorAll<HTMLElement>("[data-lesson]")];
  const listed = rows.map((row) => row.dataset.lesson);
  const after = listed.slice(listed.indexOf(known.uid) + 1);
  return find(after.find((one) => find(one))) ?? null;
}

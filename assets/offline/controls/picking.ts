/** Which lessons to add, to renew or to remove, and how large they are. */
import type { OfflineLesson, Quality, StorableLesson } from "../types";
import { chooseSize, qualities } from "../qualities";

export function sizeOfAll(lessons: readonly StorableLesson[], quality: Quality): number {
  return lessons.reduce((sum, lesson) => sum + (chooseSize(lesson, quality)?.size ?? 0), 0);
}

/** The qualities that differ for these lessons, the best first; empty if none of them is a video. */
export function qualitiesOf(lessons: readonly StorableLesson[]): Quality[] {
  const found = new Set(lessons.flatMap(({ sizes }) => sizes.map(({ quality }) => quality)));
  return qualities.filter((quality) => found.has(quality));
}

/** The quality to begin with: the preferred one, or what comes nearest. */
export function chooseQuality(offered: readonly Quality[], preferred: Quality): Quality {
  const wanted = qualities.indexOf(preferred);
  return (
    offered.find((quality) => qualities.indexOf(quality) >= wanted) ?? offered.at(-1) ?? preferred
  );
}

export function isStorable(lesson: StorableLesson): boolean {
  return lesson.refusal === null && lesson.sizes.length > 0;
}

/** Those that can be added: storable, and neither here nor on their way. */
export function findAddable(
  lessons: readonly StorableLesson[],
  stored: readonly OfflineLesson[],
): StorableLesson[] {
  const known = new Set(stored.filter(({ state }) => state !== "ended").map(({ uid }) => uid));
  return lessons.filter((lesson) => isStorable(lesson) && !known.has(lesson.uid));
}

/**
 * The next lessons to learn that are not here: those after `after`, or after the last one that is completed or here.
 * Where none follow, the first that were left out.
 */
export function findNext(
  lessons: readonly StorableLesson[],
  stored: readonly OfflineLesson[],
  count: number,
  after?: string,
): StorableLesson[] {
  const known = new Set(stored.map(({ uid }) => uid));
  const last = after
    ? lessons.findIndex(({ uid }) => uid === after)
    : lessons.findLastIndex(({ uid, is_completed: isCompleted }) => isCompleted || known.has(uid));
  const addable = findAddable(lessons, stored).filter(
    ({ is_completed: isCompleted }) => !isCompleted,
  );
  const following = addable.filter(({ uid }) => lessons.findIndex((one) => one.uid === uid) > last);
  return (following.length > 0 || after ? following : addable).slice(0, count);
}

export const isPlayable = ({ state }: OfflineLesson): boolean => state === "downloaded";
/** It continues by itself, or with a press of "Resume". */
export const isComing = ({ state }: OfflineLesson): boolean =>
  ["waiting", "downloading", "paused", "held"].includes(state);

/** Bytes that are still to come. */
export function sizeToCome(lessons: readonly OfflineLesson[]): number {
  return lessons
    .filter(isComing)
    .reduce((sum, { size, received }) => sum + Math.max(0, size - received), 0);
}

/** Bytes of what is here. A text takes hardly any, but some. */
export const sizeHere = ({ state, received }: OfflineLesson): number =>
  state === "downloaded" ? Math.max(1, received) : received;

export const receivedOf = (lessons: readonly OfflineLesson[]): number =>
  lessons.reduce((sum, lesson) => sum + sizeHere(lesson), 0);

export function percentOf({ received, size }: OfflineLesson): number {
  return size > 0 ? Math.min(100, Math.floor((100 * received) / size)) : 0;
}

export type CourseGroup = { course: OfflineLesson["course"]; lessons: OfflineLesson[] };

/** By course, in the order in which the courses come; within one what is still to learn first, then the latest finished. */
export function groupByCourse(lessons: readonly OfflineLesson[]): CourseGroup[] {
  const groups = new Map<string, CourseGroup>();
  for (const lesson of lessons) {
    const group = groups.get(lesson.course.slug);
    if (group) group.lessons.push(lesson);
    else groups.set(lesson.course.slug, { course: lesson.course, lessons: [lesson] });
  }
  return [...groups.values()].map(({ course, lessons: all }) => ({
    course,
    lessons: [...all.filter((lesson) => !isFinished(lesson)), ...all.filter(isFinished).reverse()],
  }));
}

/** Nothing is left to do with it: its learner has completed it, and it is here. */
export const isFinished = (lesson: OfflineLesson): boolean =>
  lesson.isCompleted && isPlayable(lesson);

/** The order in which lessons are cleared: expired and finished ones first, within each the oldest first. */
export function sortForClearing(lessons: readonly OfflineLesson[]): OfflineLesson[] {
  const rank = (lesson: OfflineLesson): number =>
    lesson.state === "expired" ? 0 : lesson.isCompleted ? 1 : 2;
  return lessons
    .filter(({ received }) => received > 0)
    .sort((a, b) => rank(a) - rank(b) || a.storedAt - b.storedAt);
}

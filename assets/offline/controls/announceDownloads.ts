/** Says aloud how downloads come along: some of what changes, as nobody can listen to all of it. */
import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import type { OfflineLesson } from "../types";
import { isComing, percentOf } from "./picking";
import { nameOf } from "./words";

/** Between two percentages, and between lessons that are complete while others follow. */
const MIN_INTERVAL_MS = 10_000;
const STEP_PERCENT = 10;

/** Returns a function that compares the lessons with those of its last call. */
export function createDownloadAnnouncer(): (lessons: readonly OfflineLesson[]) => void {
  let before: ReadonlyMap<string, OfflineLesson> = new Map();
  let complete: OfflineLesson[] = [];
  let saidAt = 0;
  let said = { uid: "", step: 0 };

  const sayComplete = (): void => {
    const [first] = complete;
    if (complete.length === 1 && first)
      announce(t("{lesson} is on this device", { lesson: nameOf(first) }));
    else announce(t("{count} lessons are on this device", { count: complete.length }));
    complete = [];
    saidAt = Date.now();
  };

  /** The next step of ten percent of the lesson that is coming. */
  const sayPercent = (lesson: OfflineLesson): void => {
    const percent = percentOf(lesson);
    const step = Math.floor(percent / STEP_PERCENT);
    if (step === 0 || percent === 100 || (said.uid === lesson.uid && step <= said.step)) return;
    announce(t("{lesson}: {percent}% downloaded", { lesson: nameOf(lesson), percent }));
    said = { uid: lesson.uid, step };
    saidAt = Date.now();
  };

  return (lessons) => {
    for (const lesson of lessons) {
      const earlier = before.get(lesson.uid);
      if (!earlier || earlier.state === lesson.state) continue;
      if (lesson.state === "downloaded" && isComing(earlier)) complete.push(lesson);
      if (lesson.state === "failed")
        announce(t("The download of {lesson} stopped", { lesson: nameOf(lesson) }));
    }
    const isKnown = (lesson: OfflineLesson): boolean => before.has(lesson.uid);
    const current = lessons.find((lesson) => lesson.state === "downloading" && isKnown(lesson));
    before = new Map(lessons.map((lesson) => [lesson.uid, lesson]));
    const isDue = Date.now() - saidAt >= MIN_INTERVAL_MS;
    if (complete.length > 0 && (isDue || !lessons.some(isComing))) sayComplete();
    else if (current && isDue) sayPercent(current);
  };
}

/** Updates the lesson page after progress was saved, without a reload. */
import type { components } from "./api/schema.gen";
import { t } from "./i18n";
import type { IconName } from "./iconNames";
import { iconAddress } from "./icons";
import { unlockNextLesson } from "./unlockNextLesson";

type Outline = components["schemas"]["OutlineOut"];
type LessonLink = components["schemas"]["LessonLink"];

const looks: Record<LessonLink["state"], { icon: IconName; name: string }> = {
  completed: { icon: "circle-check", name: "done" },
  in_progress: { icon: "circle-play", name: "open" },
  available: { icon: "circle", name: "open" },
  locked: { icon: "lock", name: "lock" },
};

const labels: Record<LessonLink["state"], () => string> = {
  completed: () => t("Completed"),
  in_progress: () => t("In progress"),
  available: () => t("Available"),
  locked: () => t("Locked"),
};

/** Replace the first two numbers of a text, whatever its language: “15 of 36 lessons”. */
function recount(element: Element, done: number, total: number): void {
  const numbers = [done, total];
  element.textContent = element.textContent.replace(/\d+/g, (found) => {
    const next = numbers.shift();
    return next === undefined ? found : String(next);
  });
}

/** Update the counts and the progress bar of the course. */
export function showCourse(
  root: ParentNode,
  course: { completed_lessons: number; lesson_count: number; percent: number },
): void {
  for (const count of root.querySelectorAll("[data-course-count]"))
    recount(count, course.completed_lessons, course.lesson_count);
  for (const percent of root.querySelectorAll("[data-course-percent]"))
    percent.textContent = `${course.percent}%`;
  for (const bar of root.querySelectorAll<HTMLProgressElement>("progress[data-course-bar]"))
    bar.value = course.percent;
}

/** Update the rows of the lesson list, the counts of its sections, and those of the course. */
export function showOutline(root: ParentNode, outline: Outline): void {
  showCourse(root, outline.course);
  for (const section of outline.sections) {
    const count = root.querySelector(`[data-section-count="${section.number}"]`);
    if (count) recount(count, section.completed_lessons, section.lesson_count);
    for (const lesson of section.lessons) {
      const row = root.querySelector<HTMLElement>(`[data-lesson="${lesson.uid}"]`);
      if (row) showRow(row, lesson);
      if (lesson.state !== "locked") unlockNextLesson(root, lesson.url);
    }
  }
}

function showRow(row: HTMLElement, lesson: LessonLink): void {
  const shown = row.querySelector<HTMLElement>(".lesson");
  if (!shown) return;
  const isCurrent = shown.hasAttribute("aria-current");
  const { name } = looks[lesson.state];
  // The row of the open lesson keeps its mark until the lesson is complete.
  if (isCurrent && lesson.state !== "completed") return;
  const line = lesson.state === "locked" || shown.matches("a") ? shown : asLink(shown, lesson.url);
  line.classList.toggle("lesson--done", name === "done");
  line.classList.toggle("lesson--lock", name === "lock");
  if (name !== "lock") line.querySelector(".lesson__note")?.remove();
  showState(line, iconOf(lesson), labels[lesson.state]());
}

/** Quizzes and files have icons of their own until they are complete. */
const kinds: Partial<Record<LessonLink["kind"], IconName>> = {
  quiz: "circle-question-mark",
  file: "circle-arrow-down",
};

function iconOf({ kind, state }: LessonLink): IconName {
  const { icon } = looks[state];
  return state === "available" ? (kinds[kind] ?? icon) : icon;
}

function showState(line: HTMLElement, icon: IconName, label: string): void {
  const picture = line.querySelector(".lesson__state svg");
  showIcon(picture, icon);
  picture?.setAttribute("aria-label", label);
}

function showIcon(picture: Element | null, name: IconName): void {
  picture?.querySelector("use")?.setAttribute("href", iconAddress(name));
}

function asLink(row: HTMLElement, url: string): HTMLElement {
  const link = document.createElement("a");
  link.href = url;
  link.className = row.className;
  link.append(...row.childNodes);
  row.replaceWith(link);
  return link;
}

/** Moves rows of the outline by dragging their grip. The arrow buttons beside it do the same. */
import { followDrag } from "../shared/drag";
import { t } from "../shared/i18n";
import type { Move } from "./moves";
import { type Place, rowsOf } from "./rows";

const EDGE = 56; // distance in px from the edge of the window at which the page scrolls
const OPEN_AFTER_MS = 500; // how long the pointer rests on a folded section until it opens

/**
 * Let the rows of the outline be dragged.
 * @param chosenWith the lessons that go along with a row: those selected with it, in order
 */
export function startDragging(
  outline: HTMLElement,
  move: Move,
  chosenWith: (row: HTMLElement) => HTMLElement[] = (row) => [row],
): void {
  outline.addEventListener("pointerdown", (event) => {
    const grip = (event.target as Element).closest<HTMLElement>("[data-grip]");
    const row = grip?.closest<HTMLElement>("[data-lesson], [data-section]");
    if (!grip || !row || event.button !== 0 || !event.isPrimary) return;
    event.preventDefault();
    drag(outline, grip, row, chosenWith(row), event, move);
  });
}

function drag(
  outline: HTMLElement,
  grip: HTMLElement,
  row: HTMLElement,
  rows: HTMLElement[],
  start: PointerEvent,
  move: Move,
): void {
  const isLesson = "lesson" in row.dataset;
  const line = document.createElement(isLesson ? "li" : "div");
  line.className = "drop-here";
  line.ariaHidden = "true";
  let y = start.clientY;
  let place: Place | null = null;
  let frame = 0;
  let opening: { unit: HTMLDetailsElement; timer: ReturnType<typeof setTimeout> } | null = null;

  // Sections fold while one is dragged, so that all are close; keep the dragged one under the pointer.
  const top = row.getBoundingClientRect().top;
  outline.classList.add("is-sorting");
  if (!isLesson) outline.classList.add("is-sorting-sections");
  scrollBy(0, row.getBoundingClientRect().top - top);
  row.classList.add("is-moving");
  for (const other of rows) other.classList.toggle("is-carried", other !== row);
  if (rows.length > 1) row.dataset.carries = t("{count} lessons", { count: rows.length });
  const from = start.clientY + scrollY;

  const follow = (): void => {
    row.style.translate = `0 ${y + scrollY - from}px`;
    const found = isLesson ? lessonPlace(outline, rows, y) : sectionPlace(outline, rows, y);
    if (found) {
      place = found;
      const end = place.list.querySelector<HTMLElement>(":scope > [data-none]");
      place.list.insertBefore(line, place.before ?? end);
    }
    openFolded();
  };
  const openFolded = (): void => {
    const unit = isLesson
      ? unitAt(outline, y)?.querySelector<HTMLDetailsElement>(":scope > details")
      : null;
    if (opening && opening.unit !== unit) {
      clearTimeout(opening.timer);
      opening = null;
    }
    if (!unit || unit.open || opening) return;
    const unfold = (): void => {
      unit.open = true;
      follow();
    };
    opening = { unit, timer: setTimeout(unfold, OPEN_AFTER_MS) };
  };
  const scroll = (): void => {
    const by = y < EDGE ? y - EDGE : y > innerHeight - EDGE ? y - innerHeight + EDGE : 0;
    if (by !== 0) {
      scrollBy(0, by / 4);
      follow();
    }
    frame = requestAnimationFrame(scroll);
  };
  const end = (isDropped: boolean): void => {
    cancelAnimationFrame(frame);
    if (opening) clearTimeout(opening.timer);
    line.remove();
    row.classList.remove("is-moving");
    row.style.translate = "";
    outline.classList.remove("is-sorting", "is-sorting-sections");
    for (const other of rows) other.classList.remove("is-carried");
    delete row.dataset.carries;
    if (isDropped && place) move(rows, place);
    if (!isLesson) row.scrollIntoView({ block: "nearest" });
  };
  followDrag(grip, start, {
    onMove: ({ clientY }) => {
      y = clientY;
      follow();
    },
    onEnd: end,
  });
  frame = requestAnimationFrame(scroll);
}

const middle = (row: HTMLElement): number => {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
};

function before(rows: HTMLElement[], moving: HTMLElement[], y: number): HTMLElement | null {
  return rows.find((other) => !moving.includes(other) && y < middle(other)) ?? null;
}

function unitAt(outline: HTMLElement, y: number): HTMLElement | null {
  const units = rowsOf(outline);
  return units.find((unit) => y < unit.getBoundingClientRect().bottom) ?? units.at(-1) ?? null;
}

function lessonPlace(outline: HTMLElement, moving: HTMLElement[], y: number): Place | null {
  const unit = unitAt(outline, y);
  const list = unit?.querySelector<HTMLElement>("[data-lessons]");
  const isOpen = unit?.querySelector<HTMLDetailsElement>(":scope > details")?.open;
  return list && isOpen ? { list, before: before(rowsOf(list), moving, y) } : null;
}

function sectionPlace(outline: HTMLElement, moving: HTMLElement[], y: number): Place {
  return { list: outline, before: before(rowsOf(outline), moving, y) };
}

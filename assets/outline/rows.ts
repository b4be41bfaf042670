/** The rows of the outline as the page has them: sections, and the lessons in each. */

/** A position: in this list, before that row, or at the end. */
export type Place = { list: HTMLElement; before: HTMLElement | null };
export type Order = [HTMLElement, HTMLElement[]][];

/** The sections of an outline, or the lessons of a section's list. */
export function rowsOf(list: HTMLElement): HTMLElement[] {
  const what = list.matches("[data-lessons]") ? "lesson" : "section";
  return [...list.querySelectorAll<HTMLElement>(`:scope > [data-${what}]`)];
}

export const isLesson = (row: HTMLElement): boolean => "lesson" in row.dataset;
export const uidOf = (row: HTMLElement): string => row.dataset.lesson ?? row.dataset.section ?? "";
export const titleOf = (row: HTMLElement): string =>
  row.querySelector("[data-title]")?.textContent ?? "";
export const numberOf = (row: HTMLElement): string =>
  row.querySelector("[data-number], [data-section-number]")?.textContent ?? "";
export const listOfSection = (section: HTMLElement): HTMLElement | null =>
  section.querySelector<HTMLElement>("[data-lessons]");
/** The list of a row; a row outside the outline is its own list. */
export const listOf = (row: HTMLElement): HTMLElement => row.parentElement ?? row;

/** All lessons of the outline, in order. */
export const lessonsOf = (outline: HTMLElement): HTMLElement[] => [
  ...outline.querySelectorAll<HTMLElement>("[data-lessons] > [data-lesson]"),
];

/** Where a row is: before the next row that stays. */
export function placeOf(row: HTMLElement, moving: readonly HTMLElement[] = [row]): Place {
  const list = listOf(row);
  const rows = rowsOf(list);
  return {
    list,
    before: rows.slice(rows.indexOf(row)).find((one) => !moving.includes(one)) ?? null,
  };
}

/** Put rows at a place, one after the other. */
export function putRows(rows: readonly HTMLElement[], { list, before }: Place): void {
  const end = list.querySelector<HTMLElement>(":scope > [data-none]");
  const next = before?.parentElement === list ? before : end;
  for (const row of rows) list.insertBefore(row, next);
}

export function orderOf(outline: HTMLElement): Order {
  return rowsOf(outline).map((section) => {
    const list = listOfSection(section);
    return [section, list ? rowsOf(list) : []];
  });
}

export function restoreOrder(outline: HTMLElement, order: Order): void {
  for (const [section, lessons] of order) {
    putRows([section], { list: outline, before: null });
    const list = listOfSection(section);
    if (list) putRows(lessons, { list, before: null });
  }
}

/** Update numbers, empty lists and the arrow buttons from the present order. */
export function renumber(outline: HTMLElement): void {
  const sections = rowsOf(outline);
  for (const [at, section] of sections.entries()) {
    const isFirst = at === 0;
    const isLast = at + 1 === sections.length;
    setNumber(section, section.querySelector("[data-section-number]"), String(at + 1));
    disableAtEnds(section.querySelectorAll(".unit__tools [data-move]"), isFirst, isLast);
    const list = listOfSection(section);
    const lessons = list ? rowsOf(list) : [];
    const none = list?.querySelector<HTMLElement>("[data-none]");
    if (none) none.hidden = lessons.length > 0;
    for (const [place, lesson] of lessons.entries()) {
      setNumber(lesson, lesson.querySelector("[data-number]"), `${at + 1}.${place + 1}`);
      disableAtEnds(
        lesson.querySelectorAll("[data-move]"),
        isFirst && place === 0,
        isLast && place + 1 === lessons.length,
      );
    }
  }
}

/** Set a new number in the visible text and in accessible names. */
function setNumber(row: HTMLElement, shown: Element | null, number: string): void {
  const old = shown?.textContent ?? "";
  if (!shown || old === number) return;
  shown.textContent = number;
  const spoken = isLesson(row)
    ? "[aria-label]"
    : ":is(.unit__tools, .unit__foot) :is(summary, button, input)[aria-label]";
  for (const named of row.querySelectorAll(spoken))
    named.setAttribute("aria-label", (named.getAttribute("aria-label") ?? "").replace(old, number));
}

function disableAtEnds(arrows: Iterable<Element>, isFirst: boolean, isLast: boolean): void {
  for (const arrow of arrows)
    if (arrow instanceof HTMLButtonElement)
      arrow.disabled = arrow.dataset.move === "up" ? isFirst : isLast;
}

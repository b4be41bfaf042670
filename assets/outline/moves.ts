/** Moves rows of the outline: shown at once, sent in order, reverted if the server refuses. */
import { announce } from "../shared/announce";
import type { components } from "../shared/api/schema.gen";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

export type Outline = components["schemas"]["AuthoredOutline"];
export type Calls = {
  lesson: (uid: string, section: string, position: number) => Promise<Outline>;
  section: (uid: string, position: number) => Promise<Outline>;
};
/** A position: in this list, before that row, or at the end. */
export type Place = { list: HTMLElement; before: HTMLElement | null };
export type Move = (row: HTMLElement, place: Place) => void;

/** The sections of an outline, or the lessons of a section's list. */
export function rowsOf(list: HTMLElement): HTMLElement[] {
  const what = list.matches("[data-lessons]") ? "lesson" : "section";
  return [...list.querySelectorAll<HTMLElement>(`:scope > [data-${what}]`)];
}

/** The list of a row; a row outside the outline is its own list. */
const listOf = (row: HTMLElement): HTMLElement => row.parentElement ?? row;

export function placeOf(row: HTMLElement): Place {
  const list = listOf(row);
  const rows = rowsOf(list);
  return { list, before: rows[rows.indexOf(row) + 1] ?? null };
}

const isLesson = (row: HTMLElement): boolean => "lesson" in row.dataset;
const titleOf = (row: HTMLElement): string => row.querySelector("[data-title]")?.textContent ?? "";

export function createMover(outline: HTMLElement, calls: Calls) {
  let queue: Promise<void> = Promise.resolve();
  let generation = 0;

  function put(row: HTMLElement, { list, before }: Place): void {
    const end = list.querySelector<HTMLElement>(":scope > [data-none]");
    list.insertBefore(row, before?.parentElement === list ? before : end);
  }

  /** Update numbers, empty lists and the arrow buttons from the current order. */
  function renumber(): void {
    const sections = rowsOf(outline);
    for (const [at, section] of sections.entries()) {
      setNumber(section, section.querySelector("[data-section-number]"), String(at + 1));
      disableAtEnds(
        section.querySelectorAll(".unit__tools [data-move]"),
        at === 0,
        at + 1 === sections.length,
      );
      const list = section.querySelector<HTMLElement>("[data-lessons]");
      const lessons = list ? rowsOf(list) : [];
      const none = list?.querySelector<HTMLElement>("[data-none]");
      if (none) none.hidden = lessons.length > 0;
      for (const [place, lesson] of lessons.entries()) {
        setNumber(lesson, lesson.querySelector("[data-number]"), `${at + 1}.${place + 1}`);
        const isFirst = at === 0 && place === 0;
        const isLast = at + 1 === sections.length && place + 1 === lessons.length;
        disableAtEnds(lesson.querySelectorAll("[data-move]"), isFirst, isLast);
      }
    }
  }

  async function send(row: HTMLElement): Promise<void> {
    const list = listOf(row);
    const position = rowsOf(list).indexOf(row) + 1;
    const answer = isLesson(row)
      ? await calls.lesson(row.dataset.lesson ?? "", list.dataset.lessons ?? "", position)
      : await calls.section(row.dataset.section ?? "", position);
    for (const { uid, facts } of answer.sections) {
      const shown = outline.querySelector(`[data-section="${uid}"] [data-facts]`);
      if (shown) shown.textContent = facts;
    }
  }

  /** Move a row and tell the server; with `isUndo` without offering to undo. */
  function move(row: HTMLElement, place: Place, isUndo = false): void {
    const was = placeOf(row);
    if (place.list === was.list && (place.before === was.before || place.before === row)) return;
    const before = orderOf(outline);
    const mine = generation;
    put(row, place);
    renumber();
    queue = queue.then(async () => {
      if (mine !== generation) return; // an earlier move was refused, which reverted this one, too
      try {
        await send(row);
      } catch (error) {
        generation += 1;
        restore(before);
        renumber();
        const reason = error instanceof Error ? error.message : "";
        announce(
          t("“{title}” was moved back. {reason}", { title: titleOf(row), reason }),
          "assertive",
        );
        toast(t("Not moved. {reason}", { reason }), { icon: "circle-alert", stays: true });
        return;
      }
      if (isUndo) toast(t("“{title}” was moved back.", { title: titleOf(row) }));
      else
        toast(t("“{title}” is now {number}.", { title: titleOf(row), number: numberOf(row) }), {
          action: { label: t("Undo"), onPress: () => move(row, was, true) },
        });
    });
  }

  /** Have the arrow buttons move rows without a reload, and keep the focus. */
  function startArrows(): void {
    outline.addEventListener("submit", (event) => {
      const form = event.target as HTMLElement;
      const arrow = form.querySelector<HTMLButtonElement>("[data-move]");
      const row = form.closest<HTMLElement>("[data-lesson], [data-section]");
      if (!arrow || !row) return;
      event.preventDefault();
      form.closest<HTMLDetailsElement>("details.menu")?.removeAttribute("open");
      const place = step(row, arrow.dataset.move === "up" ? -1 : 1);
      if (!place) return;
      const section = place.list.closest("details");
      if (section) section.open = true;
      move(row, place);
      const arrows = [...row.querySelectorAll<HTMLButtonElement>("[data-move]")];
      const free = arrow.disabled ? arrows.find((one) => !one.disabled && one.offsetParent) : arrow;
      free?.focus();
    });
  }

  /** One position up or down; at the end of a section, into the next one. */
  function step(row: HTMLElement, by: -1 | 1): Place | null {
    const list = listOf(row);
    const rows = rowsOf(list);
    const at = rows.indexOf(row) + by;
    if (rows[at]) return { list, before: (by === -1 ? rows[at] : rows[at + 1]) ?? null };
    if (!isLesson(row)) return null;
    const lists = [...outline.querySelectorAll<HTMLElement>("[data-lessons]")];
    const next = lists[lists.indexOf(list) + by];
    return next ? { list: next, before: by === -1 ? null : (rowsOf(next)[0] ?? null) } : null;
  }

  function restore(order: Order): void {
    for (const [section, lessons] of order) {
      put(section, { list: outline, before: null });
      const list = section.querySelector<HTMLElement>("[data-lessons]");
      if (list) for (const lesson of lessons) put(lesson, { list, before: null });
    }
  }

  return { move, startArrows };
}

type Order = [HTMLElement, HTMLElement[]][];

function orderOf(outline: HTMLElement): Order {
  return rowsOf(outline).map((section) => {
    const list = section.querySelector<HTMLElement>("[data-lessons]");
    return [section, list ? rowsOf(list) : []];
  });
}

function numberOf(row: HTMLElement): string {
  return row.querySelector("[data-number], [data-section-number]")?.textContent ?? "";
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

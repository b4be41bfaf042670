/** Moves rows of the outline: shown at once, sent in order, reverted if the server refuses. */
import { announce } from "../shared/announce";
import { ApiError } from "../shared/api/errors";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import type { Changed, Outline, OutlineCalls } from "./outlineCalls";
import {
  isLesson,
  listOf,
  numberOf,
  orderOf,
  type Place,
  putRows,
  renumber,
  restoreOrder,
  rowsOf,
  titleOf,
  uidOf,
} from "./rows";

/** Move lessons in the order of the outline, or one section. */
export type Move = (rows: HTMLElement[], place: Place) => void;

export type MoveEvents = {
  /** The etag of the outline that the page shows. */
  etag: () => string;
  /** Rows have another place on the page; the server doesn't know yet. */
  onMoving: () => void;
  /** The server has moved the rows. Before the last of several moves, its answer is older than what the page shows. */
  onMoved: (changed: Changed, said: string, isLast: boolean) => void;
  /** Someone else has changed the outline: this is how it is now. Nothing was moved. */
  onStale: (outline: Outline) => Promise<void>;
};

/** What a refusal has of the present outline, if someone else has changed it. */
function outlineIn(reason: unknown): Outline | null {
  if (!(reason instanceof ApiError) || reason.problem.code !== "OUTLINE_CHANGED") return null;
  return (reason.problem.params.outline as Outline | undefined) ?? null;
}

export function createMover(
  outline: HTMLElement,
  calls: Pick<OutlineCalls, "moveLessons" | "moveSection">,
  { etag, onMoving, onMoved, onStale }: MoveEvents,
) {
  let queue: Promise<void> = Promise.resolve();
  let generation = 0;
  let waiting = 0;

  /** Return the call that sends where the rows are now. An answer to an earlier move may put them back meanwhile. */
  function callFor(rows: readonly HTMLElement[]): () => Promise<Changed> {
    const [first] = rows;
    if (!first) throw new Error("Nothing to move");
    const uids = rows.map(uidOf);
    const list = listOf(first);
    const section = list.dataset.lessons ?? "";
    const position = rowsOf(list).indexOf(first) + 1;
    return isLesson(first)
      ? () => calls.moveLessons(uids, section, position, etag())
      : () => calls.moveSection(uidOf(first), position, etag());
  }

  function move(rows: HTMLElement[], place: Place): void {
    const before = orderOf(outline);
    const mine = generation;
    putRows(rows, place);
    renumber(outline);
    const after = orderOf(outline);
    if (isSame(before, after)) return;
    const call = callFor(rows);
    const said = sentenceOf(rows);
    waiting += 1;
    onMoving();
    queue = queue.then(async () => {
      waiting -= 1;
      if (mine !== generation) return; // an earlier move was refused, which reverted this one, too
      try {
        const changed = await call();
        onMoved(changed, said, waiting === 0);
      } catch (error) {
        generation += 1;
        const title = rows.map(titleOf).join(", ");
        const theirs = outlineIn(error);
        restoreOrder(outline, before);
        renumber(outline);
        if (theirs) await onStale(theirs);
        const reason = error instanceof Error ? error.message : "";
        announce(t("“{title}” was moved back. {reason}", { title, reason }), "assertive");
        toast(t("Not moved. {reason}", { reason }), {
          icon: "circle-alert",
          stays: true,
          isSilent: true,
          ...(theirs && {
            action: { label: t("Move anyway"), onPress: () => move(rows, stillThere(place)) },
          }),
        });
      }
    });
  }

  /** The same place in an outline that has changed; without it, the end of its list. */
  function stillThere({ list, before }: Place): Place {
    return { list, before: before?.parentElement === list ? before : null };
  }

  /** One position up or down; at the end of a section, into the next one. */
  function step(rows: HTMLElement[], by: -1 | 1): Place | null {
    const row = by === -1 ? rows[0] : rows.at(-1);
    if (!row) return null;
    const list = listOf(row);
    const others = rowsOf(list).filter((one) => one === row || !rows.includes(one));
    const at = others.indexOf(row) + by;
    if (others[at]) return { list, before: (by === -1 ? others[at] : others[at + 1]) ?? null };
    if (!isLesson(row)) return null;
    const lists = [...outline.querySelectorAll<HTMLElement>("[data-lessons]")];
    const next = lists[lists.indexOf(list) + by];
    return next ? { list: next, before: by === -1 ? null : (rowsOf(next)[0] ?? null) } : null;
  }

  /** Move rows by one position, and unfold the section they get to. */
  function stepRows(rows: HTMLElement[], by: -1 | 1): boolean {
    const place = step(rows, by);
    if (!place) return false;
    const section = place.list.closest("details");
    if (section) section.open = true;
    move(rows, place);
    return true;
  }

  /** Have the arrow buttons move rows without a reload, and keep the focus. */
  function startArrows(): void {
    outline.addEventListener("click", (event) => {
      const arrow = (event.target as Element).closest<HTMLButtonElement>("[data-move]");
      const row = arrow?.closest<HTMLElement>("[data-lesson], [data-section]");
      if (!arrow || !row) return;
      event.preventDefault();
      arrow.closest("details.menu")?.removeAttribute("open");
      if (!stepRows([row], arrow.dataset.move === "up" ? -1 : 1)) return;
      const arrows = [...row.querySelectorAll<HTMLButtonElement>("[data-move]")];
      const free = arrow.disabled ? arrows.find((one) => !one.disabled && one.offsetParent) : arrow;
      free?.focus();
    });
  }

  return { move, stepRows, startArrows, settled: () => queue, isWaiting: () => waiting > 0 };
}

const isSame = (one: ReturnType<typeof orderOf>, other: ReturnType<typeof orderOf>): boolean =>
  one.length === other.length &&
  one.every(([section, lessons], at) => {
    const [section2, lessons2] = other[at] ?? [];
    return (
      section === section2 &&
      lessons.length === lessons2?.length &&
      lessons.every((lesson, place) => lesson === lessons2[place])
    );
  });

/** What was moved where, from the numbers the rows have now. */
function sentenceOf(rows: readonly HTMLElement[]): string {
  const [first] = rows;
  if (!first) return "";
  if (rows.length === 1)
    return t("“{title}” is now {number}.", { title: titleOf(first), number: numberOf(first) });
  return t("{count} lessons moved to {number}.", {
    count: rows.length,
    number: numberOf(first),
  });
}

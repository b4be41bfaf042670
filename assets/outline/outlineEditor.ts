/**
 * Edits the outline in place: rows are moved alone or together, renamed, deleted and set, by pointer and by keyboard;
 * each change can be undone; what others change appears. The server decides, and its order is what is shown.
 */
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";
import { updateLessonRow } from "../shared/lecturesPage";
import { toast } from "../shared/toasts";
import { startDragging } from "./drag";
import { createMover } from "./moves";
import type { Change, Changed, Outline, OutlineCalls } from "./outlineCalls";
import { fetchPart } from "./partOfPage";
import {
  isLesson,
  lessonsOf,
  listOfSection,
  numberOf,
  type Place,
  putRows,
  renumber,
  rowsOf,
  titleOf,
  uidOf,
} from "./rows";
import { createSelection } from "./selection";
import { followDroppedFiles } from "./droppedOnSection";

/** Where keys belong to what is being written. */
const WRITING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog";
/** A position behind everything in a section. */
const END = 9_999;
/** How long a row that someone else has changed is marked. */
const MARK_MS = 4_000;

export type OutlineEditor = {
  /** Show the outline as it is on the server: someone else, or another tab, has changed it. */
  refresh: () => Promise<void>;
};

export function startOutlineEditor(
  grid: HTMLElement,
  outline: HTMLElement,
  calls: OutlineCalls,
  events: {
    onRenameLesson: (lesson: string, title: string, was: string) => Promise<void>;
    /** The user changed the outline here. */
    onChanged: () => void;
    /** Lessons were deleted. */
    onGone: (lessons: ReadonlySet<string>) => void;
  },
): OutlineEditor {
  let etag = outline.dataset.outline ?? "";
  let last: Change | null = null;
  let showBulk: ((count: number) => void) | undefined;

  const line = grid.querySelector<HTMLElement>("[data-undo-line]");

  /** Say what was done in the head of the outline, with the button that takes it back. */
  function offerUndo(change: Change | null, said: string): void {
    last = change;
    events.onChanged();
    announce(said);
    if (!line) return;
    const text = document.createElement("p");
    text.className = "small faint row row--tight";
    text.append(said);
    if (change) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "link";
      button.textContent = t("Undo");
      button.addEventListener("click", () => void undo());
      text.append(button);
    }
    line.replaceChildren(text);
  }

  async function undo(): Promise<void> {
    const change = last;
    if (!change) return;
    last = null;
    await run(() => calls.undo(change.uid), t("Undone: {change}", { change: change.text }), true);
  }

  /** Call the server, and show what it answers; refused, it says why and nothing changes. */
  async function run(call: () => Promise<Changed>, said = "", isUndo = false): Promise<void> {
    try {
      const { outline: now, change } = await call();
      await show(now, true);
      offerUndo(isUndo ? null : change, said === "" ? (change?.text ?? "") : said);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      toast(t("Not changed. {reason}", { reason }), { icon: "circle-alert", stays: true });
      await refresh();
    }
  }

  /** The rows as the server writes them now. */
  async function fetchRows(): Promise<HTMLElement | null> {
    const answer = await fetchPart("outline", location.pathname).catch(() => null);
    return answer?.kind === "part" ? answer.body : null;
  }

  /**
   * Put the rows in the order of the server. Rows that the page doesn't have yet come as the server writes them.
   * @param isRewritten whether what the rows say may have changed, not only their order
   */
  function show(now: Outline, isRewritten: boolean): Promise<void> {
    etag = now.etag;
    // One after the other: two at once would each bring a row that the page doesn't have yet.
    const shown = showing.then(() => put(now, isRewritten));
    showing = shown.catch(() => undefined);
    return shown;
  }
  let showing: Promise<unknown> = Promise.resolve();

  async function put(now: Outline, isRewritten: boolean): Promise<void> {
    const uids = now.sections.flatMap(({ uid, lessons }) => [
      uid,
      ...lessons.map((one) => one.uid),
    ]);
    const known = new Map(rows().map((row) => [uidOf(row), row]));
    const isUnknown = uids.some((uid) => !known.has(uid));
    const written = isUnknown || isRewritten ? await fetchRows() : null;
    const find = (uid: string): HTMLElement | null =>
      known.get(uid) ??
      written?.querySelector<HTMLElement>(`[data-section="${uid}"], [data-lesson="${uid}"]`) ??
      null;
    const focused = document.activeElement;
    const wanted = new Set(uids);
    const gone = new Set<string>();
    for (const { uid, lessons, facts, title } of now.sections) {
      const section = find(uid);
      if (!section) continue;
      if (!known.has(uid))
        for (const row of section.querySelectorAll("[data-lesson]")) row.remove();
      putRows([section], { list: outline, before: null });
      const list = listOfSection(section);
      const found = lessons.map((one) => find(one.uid)).filter((row) => row !== null);
      if (list && !isInOrder(list, found)) putRows(found, { list, before: null });
      const shown = section.querySelector("[data-facts]");
      if (shown) shown.textContent = facts;
      const name = section.querySelector<HTMLElement>("summary [data-title]");
      if (name && !section.querySelector("summary [data-renaming]")) name.textContent = title;
    }
    for (const [uid, row] of known)
      if (!wanted.has(uid)) {
        if (isLesson(row)) gone.add(uid);
        row.remove();
      }
    if (written) for (const row of lessonsOf(outline)) updateLessonRow(uidOf(row), written);
    const [old, fresh] = [grid, written].map((of) => of?.querySelector("[data-changes]"));
    if (old && fresh && !old.contains(document.activeElement) && !old.querySelector("[open]"))
      old.replaceWith(fresh);
    renumber(outline);
    selection.refresh();
    if (gone.size > 0) events.onGone(gone);
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
      focused.focus({ preventScroll: true });
  }

  const rows = (): HTMLElement[] =>
    rowsOf(outline).flatMap((section) => [section, ...rowsOf(listOfSection(section) ?? section)]);

  const isInOrder = (list: HTMLElement, found: readonly HTMLElement[]): boolean => {
    const present = rowsOf(list);
    return present.length === found.length && present.every((row, at) => row === found[at]);
  };

  /** Show what someone else has done, and mark it. */
  async function refresh(): Promise<void> {
    const before = new Map(lessonsOf(outline).map((row) => [uidOf(row), placeText(row)]));
    try {
      await show(await calls.read(), true);
    } catch {
      return; // the next change tries again
    }
    mark(lessonsOf(outline).filter((row) => before.get(uidOf(row)) !== placeText(row)));
  }

  const placeText = (row: HTMLElement): string => `${numberOf(row)} ${titleOf(row)}`;

  function mark(changed: readonly HTMLElement[]): void {
    for (const row of changed) row.classList.add("is-news");
    setTimeout(() => {
      for (const row of changed) row.classList.remove("is-news");
    }, MARK_MS);
  }

  const mover = createMover(outline, calls, {
    etag: () => etag,
    onMoved: ({ outline: now, change }, said) => {
      void show(now, false);
      offerUndo(change, said);
    },
    onStale: async (theirs) => {
      const before = new Map(lessonsOf(outline).map((row) => [uidOf(row), placeText(row)]));
      await show(theirs, true);
      mark(lessonsOf(outline).filter((row) => before.get(uidOf(row)) !== placeText(row)));
    },
  });
  const selection = createSelection(outline, (chosen) => {
    if (showBulk) showBulk(chosen.length);
    else if (chosen.length > 0)
      void import("./bulkBar").then(({ createBulkBar }) => {
        showBulk ??= createBulkBar(outline, {
          onMove: (place) => mover.move(selection.rows(), place),
          onSet: (settings) => void run(() => calls.set(selection.rows().map(uidOf), settings)),
          onDuplicate: () => duplicate(selection.rows()),
          onRemove: () => remove(selection.rows()),
          onClear: () => selection.clear(),
        });
        showBulk(selection.rows().length);
      });
  });
  mover.startArrows();
  startDragging(outline, mover.move, (row) => (isLesson(row) ? selection.rowsWith(row) : [row]));

  function remove(removed: readonly HTMLElement[]): void {
    const lessons = removed.filter(isLesson).map(uidOf);
    const sections = removed.filter((row) => !isLesson(row)).map(uidOf);
    if (removed.length > 0)
      void mover.settled().then(() => run(() => calls.remove(lessons, sections)));
  }

  function duplicate(copied: readonly HTMLElement[]): void {
    const lessons = copied.filter(isLesson).map(uidOf);
    const sections = copied.filter((row) => !isLesson(row)).map(uidOf);
    void mover.settled().then(() => run(() => calls.duplicate(lessons, sections)));
  }

  /** Choose a lesson of another course by its title, for the end of a section. */
  function insert(section: HTMLElement): void {
    void import("./insertLesson").then(({ openInsert }) =>
      openInsert(titleOf(section), calls.findInsertable, (lesson, isMove) =>
        run(() => calls.insert(lesson, uidOf(section), END, isMove)),
      ),
    );
  }

  /** Make lessons of files, at the end of a section. */
  function addFromFiles(section: HTMLElement, files?: readonly File[]): void {
    const onAdded = async ({ outline: now }: Changed): Promise<void> => {
      events.onChanged();
      await show(now, false);
    };
    const target = { uid: uidOf(section), title: titleOf(section) };
    import("./lessonsFromFiles").then(
      ({ openFilesDialog }) => openFilesDialog(target, outline, { calls, onAdded }, files),
      () => toast(t("This couldn't be loaded. Check your connection and try again.")),
    );
  }
  followDroppedFiles(outline, addFromFiles);

  function rename(row: HTMLElement): void {
    void import("./rename").then(({ renameRow }) =>
      renameRow(row, (title, was) => {
        if (isLesson(row)) void renameLesson(row, title, was);
        else
          void run(
            () => calls.renameSection(uidOf(row), title, was),
            t("Section renamed to “{title}”.", { title }),
          );
      }),
    );
  }

  async function renameLesson(row: HTMLElement, title: string, was: string): Promise<void> {
    try {
      await mover.settled();
      await events.onRenameLesson(uidOf(row), title, was);
      announce(t("Lesson renamed to “{title}”.", { title }));
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      toast(t("Not renamed. {reason}", { reason }), { icon: "circle-alert", stays: true });
      await refresh();
    }
  }

  const rowAt = (target: EventTarget | null): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>("[data-lesson], [data-section]") : null;

  outline.addEventListener("click", (event) => {
    const target = event.target as Element;
    const row = rowAt(target);
    if (!row) return;
    if (target.closest("[data-remove]")) {
      event.preventDefault();
      target.closest("details.menu")?.removeAttribute("open");
      remove(isLesson(row) ? selection.rowsWith(row) : [row]);
    }
    if (target.closest("[data-duplicate]")) {
      event.preventDefault();
      target.closest("details.menu")?.removeAttribute("open");
      duplicate(isLesson(row) ? selection.rowsWith(row) : [row]);
    }
    if (target.closest("[data-insert]")) insert(row);
    if (target.closest("[data-from-files]")) addFromFiles(row);
    const to = target.closest<HTMLElement>("[data-to-section]")?.dataset.toSection;
    const list = to && outline.querySelector<HTMLElement>(`[data-lessons="${to}"]`);
    if (list) {
      event.preventDefault();
      target.closest("details.menu")?.removeAttribute("open");
      mover.move(selection.rowsWith(row), { list, before: null } satisfies Place);
    }
  });
  outline.addEventListener("dblclick", (event) => {
    const row = rowAt(event.target);
    const title = (event.target as Element).closest("[data-title]");
    if (row && title && !isLesson(row)) rename(row);
    else if (row && (event.target as Element).closest("[data-row-text]")) rename(row);
  });
  outline.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const row = rowAt(target);
    if (!row || event.defaultPrevented || target.closest(`${WRITING}, details.menu`)) return;
    const isOnTitle = target.matches("[data-title], summary");
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (event.altKey && by !== 0)
      mover.stepRows(isLesson(row) ? selection.rowsWith(row) : [row], by);
    else if (event.key === "F2") rename(row);
    else if (event.key === "Delete" && isPlain && isOnTitle && isLesson(row)) {
      const next = lessonsOf(outline);
      remove(selection.rowsWith(row));
      next[next.indexOf(row) + 1]?.querySelector<HTMLElement>("[data-title]")?.focus();
    } else if (event.key === " " && isPlain && isOnTitle && isLesson(row))
      selection.toggle(row, event.shiftKey);
    else if (by !== 0 && isPlain && isOnTitle && isLesson(row)) {
      const all = lessonsOf(outline).filter((one) => one.offsetParent);
      const next = all[all.indexOf(row) + by];
      next?.querySelector<HTMLElement>("[data-title]")?.focus();
      if (next && event.shiftKey) selection.toggle(next, true);
    } else if (event.key === "Escape") {
      if (selection.rows().length === 0) return;
      selection.clear();
    } else return;
    event.preventDefault();
    if (event.altKey) target.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return;
    if (event.shiftKey || event.altKey || event.defaultPrevented || !last) return;
    if ((event.target as Element).closest(WRITING)) return;
    event.preventDefault();
    void undo();
  });

  return { refresh };
}

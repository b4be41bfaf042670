/**
 * Edits the outline in place: rows are moved alone or together, renamed, deleted and set, by pointer and by keyboard;
 * each change can be undone; what others change appears. The server decides, and its order is what is shown.
 */
import { announce } from "../shared/announce";
import { t, tn } from "../shared/i18n";
import { updateLessonRow } from "../shared/lecturesPage";
import { toast } from "../shared/toasts";
import { whenIdle } from "../shared/whenIdle";
import { startDragging } from "./drag";
import { createMover } from "./moves";
import {
  type Change,
  type Changed,
  POSITION_AT_END,
  type Outline,
  type OutlineCalls,
} from "./outlineCalls";
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
import type { Dropped } from "../shared/uploads/paths";
import { followDroppedFiles } from "./droppedOnSection";
import { renameRow } from "./rename";
import { createSelection } from "./selection";

/** Where keys belong to what is being written. */
const WRITING = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog";
/** How long a row that someone else has changed is marked. */
const MARK_MS = 4_000;

export type OutlineEditor = {
  /** Show the outline as it is on the server: someone else, or another tab, has changed it. */
  refresh: (isOwn?: boolean) => Promise<void>;
  /** A change was made beside the outline: offer to take it back. */
  offerUndo: (change: Pick<Change, "uid" | "text">) => void;
};

/** Loaded while nothing else is to do: what is typed right after a key or a button goes into their fields. */
const loading = {
  bulkBar: () => import("./bulkBar"),
  openingDialog: () => import("./openingDialog"),
  insertLesson: () => import("./insertLesson"),
  sendItems: () => import("./sendItems"),
  lessonsFromFiles: () => import("./lessonsFromFiles"),
};

const sayNotLoaded = (): void => {
  toast(t("This couldn't be loaded. Check your connection and try again."));
};

/** What can be taken back: what was done, and how. */
type Undoable = { text: string; undo: () => Promise<Changed> };

export function startOutlineEditor(
  grid: HTMLElement,
  outline: HTMLElement,
  calls: OutlineCalls,
  events: {
    /** Save the title of a lesson. */
    onRenameLesson: (lesson: string, title: string, was: string) => Promise<Change | null>;
    /** The user changed the outline here. */
    onChanged: () => void;
    /** What lessons say may have changed, and their numbers. */
    onShown: () => void;
    /** Lessons were deleted. */
    onGone: (lessons: ReadonlySet<string>) => void;
  },
): OutlineEditor {
  let etag = outline.dataset.outline ?? "";
  let last: Undoable | null = null;
  let dropToast = (): void => undefined;
  let showBulk: ((count: number) => void) | undefined;

  const line = grid.querySelector<HTMLElement>("[data-undo-line]");

  /**
   * Say what was done in the head of the outline, with the button that takes it back; where that is out of sight, in a
   * toast.
   * @param place where to see it: what was sent to another course
   */
  function offerUndo(undoable: Undoable | null, said: string, place?: HTMLAnchorElement): void {
    last = undoable;
    events.onChanged();
    dropToast();
    if (!line || said === "") return;
    const text = document.createElement("p");
    text.className = "small faint row row--tight";
    text.append(said);
    if (undoable) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "link";
      button.textContent = t("Undo");
      button.addEventListener("click", () => void undo());
      text.append(button);
    }
    if (place) text.append(place);
    line.replaceChildren(text);
    if (isInSight(line)) {
      announce(said);
      return;
    }
    const action = undoable && { label: t("Undo"), onPress: () => void undo() };
    dropToast = toast(said, action ? { action } : {});
  }

  function isInSight(shown: HTMLElement): boolean {
    const { top, bottom, left, right } = shown.getBoundingClientRect();
    const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && found !== null && shown.contains(found);
  }

  /** "Undo" would take back an earlier change than the one that the page shows already. */
  function dropOffer(): void {
    last = null;
    dropToast();
    line?.querySelector("button")?.remove();
  }

  const undoOf = (change: Pick<Change, "uid" | "text"> | null): Undoable | null =>
    change && { text: change.text, undo: () => calls.undo(change.uid) };

  async function undo(): Promise<void> {
    const undoable = last;
    if (!undoable) return;
    last = null;
    dropToast();
    await run(undoable.undo, t("Undone: {change}", { change: undoable.text }), true);
  }

  /** Call the server, and show what it answers; refused, it says why and nothing changes. */
  async function run(call: () => Promise<Changed>, said = "", isUndo = false): Promise<boolean> {
    try {
      const { outline: now, change } = await call();
      await show(now, true);
      offerUndo(isUndo ? null : undoOf(change), said === "" ? (change?.text ?? "") : said);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      toast(t("Not changed. {reason}", { reason }), { icon: "circle-alert", stays: true });
      await refresh();
      return false;
    }
  }

  /** The rows as the server writes them now. The address of a lesson that is gone has none. */
  async function fetchRows(uids: readonly string[]): Promise<HTMLElement | null> {
    const opened = outline.querySelector<HTMLElement>("[data-lesson].is-open");
    const isGone = opened !== null && !uids.includes(uidOf(opened));
    const address = isGone ? (grid.dataset.lectures ?? location.pathname) : location.pathname;
    const answer = await fetchPart("outline", address).catch(() => null);
    return answer?.kind === "part" ? answer.body : null;
  }

  let showing: Promise<unknown> = Promise.resolve();
  /** How many answers of the server were shown. */
  let answers = 0;

  /**
   * Put the rows in the order of the server, one answer after the other. Rows that the page doesn't have yet come as
   * the server writes them.
   * @param isRewritten whether what the rows say may have changed, not only their order
   * @returns the rows that are new, or have another place or title
   */
  function show(now: Outline, isRewritten: boolean): Promise<HTMLElement[]> {
    etag = now.etag; // at once: the next move is sent with it
    answers += 1;
    const shown = showing.then(() => place(now, isRewritten));
    showing = shown.catch(() => undefined);
    return shown;
  }

  async function place(now: Outline, isRewritten: boolean): Promise<HTMLElement[]> {
    const before = new Map(lessonsOf(outline).map((row) => [uidOf(row), placeText(row)]));
    const uids = now.sections.flatMap(({ uid, lessons }) => [
      uid,
      ...lessons.map((one) => one.uid),
    ]);
    const known = new Map(rows().map((row) => [uidOf(row), row]));
    const isUnknown = uids.some((uid) => !known.has(uid));
    const written = isUnknown || isRewritten ? await fetchRows(uids) : null;
    const find = (uid: string): HTMLElement | null =>
      known.get(uid) ??
      written?.querySelector<HTMLElement>(`[data-section="${uid}"], [data-lesson="${uid}"]`) ??
      null;
    const focused = document.activeElement;
    const wanted = new Set(uids);
    const gone = new Set<string>();
    const sections = now.sections.map(({ uid }) => find(uid)).filter((row) => row !== null);
    // What is in place stays untouched: a row that is dragged or renamed would lose the pointer or the focus.
    const isSame = isInOrder(outline, sections);
    for (const { uid, lessons, facts, title } of now.sections) {
      const section = find(uid);
      if (!section) continue;
      if (!known.has(uid))
        for (const row of section.querySelectorAll("[data-lesson]")) row.remove();
      if (!isSame) putRows([section], { list: outline, before: null });
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
    outline.querySelector(":scope > [data-no-sections]")?.remove();
    renumber(outline);
    selection.refresh();
    if (gone.size > 0) events.onGone(gone);
    events.onShown();
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
      focused.focus({ preventScroll: true });
    return lessonsOf(outline).filter((row) => before.get(uidOf(row)) !== placeText(row));
  }

  const rows = (): HTMLElement[] =>
    rowsOf(outline).flatMap((section) => [section, ...rowsOf(listOfSection(section) ?? section)]);

  const isInOrder = (list: HTMLElement, found: readonly HTMLElement[]): boolean => {
    const present = rowsOf(list);
    return present.length === found.length && present.every((row, at) => row === found[at]);
  };

  /** Show what someone else has done, and mark it; or what was done beside the outline. */
  async function refresh(isOwn = false): Promise<void> {
    try {
      let before: number;
      let now: Outline;
      do {
        await mover.settled();
        before = answers;
        now = await calls.fetchOutline();
        // What was read is older than what another answer has shown meanwhile, or than a move that is on its way.
      } while (before !== answers || mover.isWaiting());
      const changed = await show(now, true);
      if (!isOwn) mark(changed);
    } catch {
      return; // the next change tries again
    }
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
    onMoving: dropOffer,
    onMoved: ({ outline: now, change }, said, isLast) => {
      if (isLast) void show(now, false);
      else etag = now.etag;
      offerUndo(undoOf(change), said);
    },
    onStale: async (theirs) => {
      mark(await show(theirs, true));
    },
  });
  const selection = createSelection(outline, (chosen) => {
    if (showBulk) showBulk(chosen.length);
    else if (chosen.length > 0)
      void loading.bulkBar().then(({ createBulkBar }) => {
        showBulk ??= createBulkBar(outline, {
          onMove: (place) => mover.move(selection.rows(), place),
          onSet: (settings) =>
            void run(() => calls.changeSettings(selection.rows().map(uidOf), settings)),
          onOpening: () =>
            void loading.openingDialog().then(({ askWhenLessonsOpen }) => {
              const chosen = selection.rows().map(uidOf);
              askWhenLessonsOpen(chosen.length, grid.dataset.zone ?? "", (settings) => {
                void run(() => calls.changeSettings(chosen, settings));
              });
            }, sayNotLoaded),
          onSend: () => send(selection.rows()),
          onDuplicate: () => duplicate(selection.rows()),
          onRemove: () => remove(selection.rows()),
          onClear: () => selection.clear(),
        });
        showBulk(selection.rows().length);
      }, sayNotLoaded);
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

  /** Add a section at the end; its title may be followed by the next one. */
  const adding = grid.querySelector<HTMLFormElement>("[data-add-section]");
  adding?.addEventListener("submit", (event) => {
    const field = adding.querySelector<HTMLInputElement>("[name=title]");
    const title = field?.value.trim() ?? "";
    if (!field || title === "" || !navigator.onLine) return;
    event.preventDefault();
    field.value = "";
    void mover.settled().then(async () => {
      const isAdded = await run(
        () => calls.addSection(title),
        t("“{title}” was added.", { title }),
      );
      if (!isAdded && field.value === "") field.value = title;
    });
  });

  /** Choose a lesson of another course by its title, for the end of a section. */
  function insert(section: HTMLElement): void {
    loading
      .insertLesson()
      .then(
        ({ openInsert }) =>
          openInsert(titleOf(section), calls.findInsertable, (lesson, isMove) =>
            run(() => calls.insertLesson(lesson, uidOf(section), POSITION_AT_END, isMove)).then(
              () => undefined,
            ),
          ),
        sayNotLoaded,
      );
  }

  /** Make lessons of files, at the end of a section. */
  function addFromFiles(section: HTMLElement, dropped?: Dropped): void {
    const onAdded = async ({ outline: now }: Changed): Promise<void> => {
      events.onChanged();
      await show(now, false);
    };
    const target = { uid: uidOf(section), title: titleOf(section) };
    void loading.lessonsFromFiles().then(
      ({ openFilesDialog }) =>
        openFilesDialog(
          target,
          outline,
          {
            calls,
            onAdded,
            onDone: ({ uid, text }, withUploads) =>
              offerUndo({ text, undo: () => withUploads(() => calls.undo(uid)) }, text),
          },
          dropped,
        ),
      sayNotLoaded,
    );
  }
  followDroppedFiles(outline, addFromFiles);

  /** Copy or move rows to another course, which is chosen by its title. */
  function send(sent: readonly HTMLElement[]): void {
    const [first] = sent;
    if (!first) return;
    const items = {
      lessons: sent.filter(isLesson).map(uidOf),
      sections: sent.filter((row) => !isLesson(row)).map(uidOf),
    };
    const what =
      sent.length === 1
        ? `“${titleOf(first)}”`
        : tn("{count} lesson", "{count} lessons", sent.length);
    const section = first.closest<HTMLElement>("[data-section]");
    const newSection = isLesson(first) && section ? titleOf(section) : null;
    void loading.sendItems().then(
      ({ openSend }) =>
        openSend(what, newSection, calls.findTargets, async (target, destination, isMove) => {
          const said = isMove
            ? t("{what} moved to “{course}”.", { what, course: target.title })
            : t("{what} copied to “{course}”.", { what, course: target.title });
          try {
            await mover.settled();
            const { change, removals } = await calls.sendToCourse(
              target.uid,
              items,
              destination,
              isMove,
            );
            const now = isMove ? await calls.fetchOutline() : null;
            if (now) await show(now, true);
            const there = document.createElement("a");
            there.className = "link";
            there.href = `/dashboard/instructor/courses/${target.slug}/lectures`;
            there.textContent = t("Open it");
            offerUndo(
              change && {
                text: said,
                // The originals come back before the copies go: whatever fails, nothing is lost.
                undo: async () => {
                  for (const one of removals) await calls.undo(one.change, one.course);
                  const undone = await calls.undo(change.uid, target.uid);
                  return { ...undone, outline: await calls.fetchOutline() };
                },
              },
              said,
              there,
            );
          } catch (error) {
            const reason = error instanceof Error ? error.message : "";
            toast(t("Not changed. {reason}", { reason }), { icon: "circle-alert", stays: true });
            await refresh();
          }
        }),
      sayNotLoaded,
    );
  }

  function rename(row: HTMLElement): void {
    renameRow(row, (title, was) => {
      if (isLesson(row)) void renameLesson(row, title, was);
      else
        void run(
          () => calls.renameSection(uidOf(row), title, was),
          t("Section renamed to “{title}”.", { title }),
        );
    });
  }

  async function renameLesson(row: HTMLElement, title: string, was: string): Promise<void> {
    try {
      await mover.settled();
      const change = await events.onRenameLesson(uidOf(row), title, was);
      offerUndo(undoOf(change), t("Lesson renamed to “{title}”.", { title }));
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
    if (target.closest("[data-send]")) {
      target.closest("details.menu")?.removeAttribute("open");
      send(isLesson(row) ? selection.rowsWith(row) : [row]);
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

  whenIdle(() => {
    for (const load of Object.values(loading)) load().catch(() => undefined); // it is tried again when it is needed
  });
  return { refresh, offerUndo: (change) => offerUndo(undoOf(change), change.text) };
}

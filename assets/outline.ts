// The lectures page of the studio: the panel follows the selection, the outline is edited in place, and what others
// change appears.
import { startOutlineEditor, type OutlineEditor } from "./outline/outlineEditor";
import { createCalls } from "./outline/outlineCalls";
import { startSidePanel } from "./outline/sidePanel";
import { watchProcessing } from "./outline/watchProcessing";
import { openLine } from "./shared/openLine";
import { openLiveSocket } from "./shared/liveSocket";
import { sayRemovedFromCourse } from "./shared/removedFromCourse";

/** Milliseconds after a save until the row and the state of the lesson are asked for. */
const REFRESH_MS = 600;
/** Milliseconds in which several changes of others are asked for together. */
const GATHER_MS = 400;
/** The same soon after a change of this tab, which hears of it, too. */
const GATHER_OWN_MS = 4_000;

const grid = document.querySelector<HTMLElement>("[data-lectures]");
const side = grid?.querySelector<HTMLElement>("[data-side]");
if (grid && side) startPage(grid, side);

/** When this tab changed something. */
let ownAt = 0;

function startPage(grid: HTMLElement, side: HTMLElement): void {
  const course = grid.dataset.course ?? "";
  let latest: HTMLElement | null = null;
  let endForm: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let editor: OutlineEditor | undefined;

  const rowOf = (lesson: string): HTMLElement | null =>
    grid.querySelector<HTMLElement>(`[data-list] [data-lesson="${lesson}"]`);
  const panel = startSidePanel(
    grid,
    side,
    (shown) => {
      latest = shown;
      endForm?.();
      endForm = undefined;
      clearTimeout(timer);
      const form = shown?.querySelector<HTMLFormElement>("form[data-lesson-form]");
      const line = shown?.querySelector<HTMLElement>("[data-saving]");
      if (shown && form && line) void startSaving(shown, form, line);
    },
    () => void editor?.refresh(true).then(panel.markOpened),
    (change) => editor?.offerUndo(change),
  );

  async function startSaving(shown: HTMLElement, form: HTMLFormElement, line: HTMLElement) {
    const { startLessonForm } = await import("./outline/lessonForm");
    if (latest !== shown) return;
    endForm = startLessonForm(form, line, {
      onTitle: (title) => {
        const link = rowOf(shown.dataset.opened ?? "")?.querySelector("[data-title]");
        if (link && title.trim()) link.textContent = title;
      },
      onSaved: () => {
        ownAt = Date.now();
        clearTimeout(timer);
        timer = setTimeout(() => void panel.refreshState(), REFRESH_MS);
      },
      onRecorded: (change) => editor?.offerUndo(change),
    });
  }

  /** The outline was changed: by a move, an undo, for many lessons or by others. Show it in the open lesson, too. */
  async function refreshOpened(): Promise<void> {
    const lesson = latest?.dataset.opened ?? "";
    const row = rowOf(lesson);
    if (!latest || !row) return;
    const number = latest.querySelector("[data-panel-number]");
    if (number) number.textContent = row.querySelector("[data-number]")?.textContent ?? "";
    const { receiveLesson } = await import("./outline/lessonForm");
    await receiveLesson(lesson).catch(() => undefined);
    await panel.refreshState();
  }

  const outline = grid.querySelector<HTMLElement>("[data-outline]");
  if (outline) {
    editor = startOutlineEditor(grid, outline, createCalls(course), {
      onRenameLesson: async (lesson, title, was) => {
        const { saveTitle } = await import("./outline/lessonForm");
        const change = await saveTitle(lesson, title, was);
        if (latest?.dataset.opened === lesson) await panel.refreshState();
        return change;
      },
      onShown: () => void refreshOpened(),
      onChanged: () => {
        ownAt = Date.now();
      },
      onGone: (lessons) => {
        if (latest && lessons.has(latest.dataset.opened ?? ""))
          void panel.open(grid.dataset.lectures ?? "");
      },
    });
    watchProcessing();
  }
  followOthers(course, editor, (lesson) => {
    if (latest?.dataset.opened === lesson) void panel.refreshState();
  });
}

/** Show what others change in this course, and what this user changes in another tab. */
function followOthers(
  course: string,
  editor: OutlineEditor | undefined,
  onLesson: (lesson: string) => void,
): void {
  const edited = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const gather = (): void => {
    clearTimeout(timer);
    const isOwn = Date.now() - ownAt < GATHER_OWN_MS / 2;
    timer = setTimeout(() => void show(), isOwn ? GATHER_OWN_MS : GATHER_MS);
  };
  const show = async (): Promise<void> => {
    const lessons = [...edited];
    edited.clear();
    const { receiveLesson } = await import("./outline/lessonForm");
    for (const lesson of lessons) {
      await receiveLesson(lesson).catch(() => undefined);
      onLesson(lesson);
    }
    await editor?.refresh();
  };
  let isFirst = true;
  openLiveSocket(`/ws/studio/${course}/`, {
    onRemoved: sayRemovedFromCourse,
    onOpen: () => {
      if (!isFirst) gather();
      isFirst = false;
    },
    onMessage: ({ type, client, target }) => {
      if (type === "outline") gather();
      if (type !== "edited" || typeof target !== "string") return;
      void import("./outline/lessonForm").then(({ CLIENT }) => {
        if (client === CLIENT) return;
        if (target !== course) edited.add(target);
        gather();
      });
    },
  });
}

const linked = document.getElementById(location.hash.slice(1));
if (linked instanceof HTMLTextAreaElement) openLine(linked);

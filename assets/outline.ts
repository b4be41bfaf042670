// The lectures page of the studio: the panel follows the selection, and rows are moved, without a reload.
import { authenticatedApi, unwrap } from "./shared/api/client";
import { startDragging } from "./outline/drag";
import { createMover } from "./outline/moves";
import { startSidePanel } from "./outline/sidePanel";
import { watchProcessing } from "./outline/watchProcessing";

/** Milliseconds after a save until the row and the state of the lesson are asked for. */
const REFRESH_MS = 600;

const grid = document.querySelector<HTMLElement>("[data-lectures]");
const side = grid?.querySelector<HTMLElement>("[data-side]");
if (grid && side) {
  let endForm: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: HTMLElement | null = null;
  const panel = startSidePanel(grid, side, (shown) => {
    latest = shown;
    endForm?.();
    endForm = undefined;
    clearTimeout(timer);
    const form = shown?.querySelector<HTMLFormElement>("form[data-lesson-form]");
    const line = shown?.querySelector<HTMLElement>("[data-saving]");
    if (shown && form && line) void startSaving(shown, form, line);
  });
  const startSaving = async (shown: HTMLElement, form: HTMLFormElement, line: HTMLElement) => {
    const { startLessonForm } = await import("./outline/lessonForm");
    if (latest !== shown) return;
    endForm = startLessonForm(form, line, {
      onTitle: (title) => {
        const row = grid.querySelector(`[data-list] [data-lesson="${shown.dataset.opened ?? ""}"]`);
        const link = row?.querySelector("[data-title]");
        if (link && title.trim()) link.textContent = title;
      },
      onSaved: () => {
        clearTimeout(timer);
        timer = setTimeout(() => void panel.refreshState(), REFRESH_MS);
      },
    });
  };
}

const outline = document.querySelector<HTMLElement>("[data-outline]");
if (outline) {
  const mover = createMover(outline, {
    lesson: (uid, section, position) =>
      unwrap(
        authenticatedApi.POST("/api/v1/lessons/{uid}/move/", {
          params: { path: { uid } },
          body: { section, position },
        }),
      ),
    section: (uid, position) =>
      unwrap(
        authenticatedApi.POST("/api/v1/sections/{uid}/move/", {
          params: { path: { uid } },
          body: { position },
        }),
      ),
  });
  mover.startArrows();
  startDragging(outline, mover.move);
  watchProcessing();
}

/** Updates rows of the outline while their videos are being processed. */
import { announce } from "../shared/announce";
import { fetchPage } from "../shared/fetchPage";
import { updateLessonRow } from "../shared/lecturesPage";

/** Delays between updates: often at first, rarely later, as abandoned uploads stay for days. */
export const DELAYS_MS = [3_000, 3_000, 5_000, 5_000, 10_000, 10_000, 30_000];

const processingRows = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>("[data-processing]"),
];

/** The one watch of this page: its next update, or the one that is running. */
let timer: ReturnType<typeof setTimeout> | undefined;
let isUpdating = false;
let round = 0;

/**
 * Update the rows marked `[data-processing]` until none is left, while the page is visible. Called again, the same
 * watch continues, often again.
 */
export function watchProcessing(): void {
  round = 0;
  schedule();
}

function schedule(): void {
  clearTimeout(timer);
  if (isUpdating || processingRows().length === 0) return;
  timer = setTimeout(
    () => {
      isUpdating = true;
      void update().finally(() => {
        isUpdating = false;
        schedule();
      });
    },
    DELAYS_MS[Math.min(round++, DELAYS_MS.length - 1)],
  );
}

async function update(): Promise<void> {
  if (document.hidden) return;
  const now = await fetchPage().catch(() => null);
  if (!now) return;
  for (const row of processingRows()) {
    updateLessonRow(row.dataset.lesson ?? "", now);
    if (row.hasAttribute("data-processing")) continue;
    const title = row.querySelector("[data-title]")?.textContent ?? "";
    announce(`${title}: ${row.querySelector(".unit__end > .badge")?.textContent.trim() ?? ""}`);
  }
}

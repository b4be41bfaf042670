/** Videos that are still being made: the outline asks for them until they are there. */
import { announce } from "../shared/announce";
import { fetchPage, showLesson } from "../shared/lecturesPage";

/** At first often, later less so: an upload that somebody left lies there for days. */
export const WAITS_MS = [3_000, 3_000, 5_000, 5_000, 10_000, 10_000, 30_000];

const going = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-going]")];

/** Keeps the rows marked `[data-going]` in step, while somebody looks. */
export function watchProcessing(): void {
  let round = 0;
  const again = (): void => {
    if (going().length === 0) return;
    setTimeout(() => void look().finally(again), WAITS_MS[Math.min(round++, WAITS_MS.length - 1)]);
  };
  again();
}

async function look(): Promise<void> {
  if (document.hidden) return;
  const now = await fetchPage().catch(() => null);
  if (!now) return;
  for (const row of going()) {
    showLesson(row.dataset.lesson ?? "", now);
    if (row.hasAttribute("data-going")) continue;
    const title = row.querySelector("[data-title]")?.textContent ?? "";
    announce(`${title}: ${row.querySelector(".unit__end > .badge")?.textContent.trim() ?? ""}`);
  }
}

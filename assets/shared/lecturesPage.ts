/** Updates the lectures page of the studio from the server without losing what is being typed. */
import { fetchPage } from "./fetchPage";

const STATUS = ".unit__end > .badge, .unit__end > .unit__len";

const rowOf = (page: ParentNode, lesson: string): HTMLElement | null =>
  page.querySelector<HTMLElement>(`[data-lesson="${lesson}"]`);

/** Copy the status of a lesson, its section and the checklist from another version of the page. */
export function updateLessonRow(lesson: string, now: ParentNode): void {
  const [row, written] = [rowOf(document, lesson), rowOf(now, lesson)];
  const end = row?.querySelector(".unit__end");
  if (!row || !end || !written) return;
  for (const old of row.querySelectorAll(STATUS)) old.remove();
  end.prepend(...written.querySelectorAll(STATUS));
  updateText(row, written);
  row.toggleAttribute("data-processing", written.hasAttribute("data-processing"));
  const facts = (of: Element) => of.closest("[data-section]")?.querySelector("[data-facts]");
  const [shown, known] = [facts(row), facts(written)];
  if (shown && known) shown.textContent = known.textContent;
  for (const part of [
    "[data-checks]",
    "[data-video]",
    "[data-ready]",
    "[data-lede]",
    "[data-count]",
  ]) {
    const [old, fresh] = [document.querySelector(part), now.querySelector(part)];
    // What is the same stays, with the focus that may be in it.
    if (old && fresh && !old.isEqualNode(fresh)) old.replaceWith(fresh);
  }
}

/** Title, notes and warning. The link of the title stays the same element, with the focus that may be on it. */
function updateText(row: HTMLElement, written: HTMLElement): void {
  const [old, fresh] = [row, written].map((of) => of.querySelector("[data-row-text]"));
  const [link, title] = [old, fresh].map((of) => of?.querySelector("[data-title]"));
  if (!old || !fresh || !link || !title || old.querySelector("[data-renaming]")) return;
  if (link.textContent !== title.textContent) link.textContent = title.textContent;
  const lines = (of: Element) => [...of.querySelectorAll(":scope > :not(.lesson__title)")];
  for (const line of lines(old)) line.remove();
  old.append(...lines(fresh));
}

/** Update the row of one lesson from the server. */
export async function refreshLessonRow(lesson: string): Promise<void> {
  const now = await fetchPage();
  if (now) updateLessonRow(lesson, now);
}

/** How long a text is, shown beside it: `textarea[data-most]`, `[data-count]`. */
import { t } from "../shared/i18n";

/** Unicode code points, where a line break is one: as the server counts. */
export function lengthOf(text: string): number {
  return Array.from(text.replaceAll(/\r\n?/g, "\n")).length;
}

/**
 * Count while the user writes.
 *
 * @param from the part of the most characters from which the number is shown
 * @returns a function that counts again
 */
export function startCounter(area: HTMLTextAreaElement, from = 0): () => void {
  const counter = area.closest("form")?.querySelector<HTMLElement>("[data-count]");
  const most = Number(area.dataset.most);
  const count = (): void => {
    const length = lengthOf(area.value);
    if (counter) {
      counter.hidden = length === 0 || length < most * from;
      counter.textContent = t("{length} of {most}", {
        length: length.toLocaleString("en"),
        most: most.toLocaleString("en"),
      });
    }
    if (length > most) area.setAttribute("aria-invalid", "true");
    else area.removeAttribute("aria-invalid");
  };
  area.addEventListener("input", count);
  count();
  return count;
}

/**
 * The second that a press asks for: of a time (`[data-seek]`), or of a sentence of the transcript.
 * Null for anything else, and for words that were just selected.
 */
export function seekTargetOf(target: Element): string | null {
  const time = target.closest<HTMLElement>("[data-seek]");
  if (time) return time.dataset.seek ?? null;
  const words = target.closest<HTMLElement>("[data-transcript] [data-from]");
  const isSelecting = getSelection()?.isCollapsed === false;
  return words && !isSelecting ? (words.dataset.from ?? null) : null;
}

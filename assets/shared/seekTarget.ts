/**
 * The second that a click seeks to: that of a time (`[data-seek]`) or of a line of the transcript. Null for anything
 * else, and for the end of a text selection.
 */
export function seekTargetOf(target: Element): string | null {
  const time = target.closest<HTMLElement>("[data-seek]");
  if (time) return time.dataset.seek ?? null;
  const words = target.closest<HTMLElement>("[data-transcript] [data-from]");
  const isSelecting = getSelection()?.isCollapsed === false;
  return words && !isSelecting ? (words.dataset.from ?? null) : null;
}

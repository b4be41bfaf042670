/**
 * Where something can be dropped: elements with `data-drop`, whose value is the uid of a folder, empty for the top,
 * or "bin". They may be outside the island: the breadcrumbs, the places at the side.
 */

const SELECTOR = "[data-drop]";

export const dropAt = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>(SELECTOR) ?? null;

/** Highlight one of them, or none. */
export function markDrop(target: HTMLElement | null): void {
  for (const marked of document.querySelectorAll(".is-drop"))
    if (marked !== target) marked.classList.remove("is-drop");
  target?.classList.add("is-drop");
}

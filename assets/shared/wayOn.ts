/** The next lesson waited for this one: its name at the foot of the page becomes a link. */
export function openWayOn(root: Document = document): void {
  const next = root.querySelector<HTMLElement>("[data-next]");
  if (!next?.dataset.next) return;
  const link = root.createElement("a");
  link.href = next.dataset.next;
  link.rel = "next";
  link.className = "ways__one ways__one--next";
  link.append(...next.childNodes);
  link.querySelector("svg")?.remove();
  next.replaceWith(link);
}

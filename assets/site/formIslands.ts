/** Islands that extend a form of the page (data-when="focus"): most people who see the form never use it. */

const inputs = ["focusin", "pointerdown", "dragenter"];

/** Load an island when its form gets the focus, a press or a file; at once if there is a draft to show. */
export function loadWithForm(spot: HTMLElement, load: (spot: HTMLElement) => unknown): void {
  const form = spot.closest("form") ?? spot;
  const start = ({ target }: { target: unknown }): void => {
    for (const input of inputs) form.removeEventListener(input, start, true);
    // The island runs the tool once it is there.
    const tool = (target as Element).closest<HTMLElement>("[data-tool]");
    if (tool) spot.dataset.start = tool.dataset.tool;
    load(spot);
  };
  if (form.contains(document.activeElement) || hasDraft(spot)) load(spot);
  else for (const input of inputs) form.addEventListener(input, start, true);
}

function hasDraft(spot: HTMLElement): boolean {
  try {
    const name = spot.closest<HTMLElement>("[data-draft]")?.dataset.draft;
    return localStorage.getItem(name ?? "") !== null;
  } catch {
    return false; // storage is blocked
  }
}

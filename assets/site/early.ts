/** What is asked of the player before any of its code is there: a press of its start, a second to play from, a key. */

import { secondOf } from "../shared/seconds";

/** The place of a player that will come and does not listen yet. */
function waiting(): HTMLElement | null {
  if (document.documentElement.dataset.player !== undefined) return null;
  const spot = document.querySelector<HTMLElement>("[data-island=player]");
  return spot?.querySelector("[data-start], [aria-busy=true]") ? spot : null;
}

function keepStart(spot: HTMLElement, second = ""): void {
  spot.querySelector("[data-start]")?.setAttribute("aria-busy", "true");
  spot.dataset.start = second;
}

function keepPress(event: MouseEvent): void {
  const spot = waiting();
  const { target, ctrlKey, metaKey, shiftKey } = event;
  if (!spot || !(target instanceof Element) || ctrlKey || metaKey || shiftKey) return;
  if (target.closest("[data-island] [data-start]")) keepStart(spot);
  const second = secondOf(target);
  if (second === null) return;
  event.preventDefault(); // a time of the transcript is a link for those without scripts
  keepStart(spot, second);
}

function keepKey(event: KeyboardEvent): void {
  const { key, target, defaultPrevented, altKey, ctrlKey, metaKey } = event;
  const spot = waiting();
  if (defaultPrevented || altKey || ctrlKey || metaKey) return;
  if (key === " ") {
    if (!spot || document.activeElement !== document.body) return;
    event.preventDefault();
    keepStart(spot);
    return;
  }
  if (key.length > 1 && key !== "ArrowLeft" && key !== "ArrowRight") return;
  if (!spot && document.readyState === "complete") return;
  const own = "input, textarea, select, dialog, [contenteditable], details.menu[open]";
  if (target instanceof Element && target.closest(own)) return;
  const { dataset } = document.documentElement;
  // What offers a shortcut takes its key from here (shared/keys.ts).
  dataset.early = dataset.early ? `${dataset.early} ${key}` : key;
}

/** Runs in the head, so that nobody is quicker. On the window: after everything on the page has had its chance. */
export function keepEarly(): void {
  addEventListener("click", keepPress);
  addEventListener("keydown", keepKey);
}

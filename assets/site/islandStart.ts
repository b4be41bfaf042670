/** Records what the user asks of the player before its code is loaded: start, a second to play from, or a shortcut. */
import { seekTargetOf } from "../shared/seekTarget";

/** The mount point of a player whose code is not running yet. */
function findPendingPlayer(): HTMLElement | null {
  if (document.documentElement.dataset.player !== undefined) return null;
  const spot = document.querySelector<HTMLElement>("[data-island=player]");
  return spot?.querySelector("[data-start], [aria-busy=true]") ? spot : null;
}

function recordStart(spot: HTMLElement, second = ""): void {
  spot.querySelector("[data-start]")?.setAttribute("aria-busy", "true");
  spot.dataset.start = second;
}

function recordPress(event: MouseEvent): void {
  const spot = findPendingPlayer();
  const { target, ctrlKey, metaKey, shiftKey } = event;
  if (!spot || !(target instanceof Element) || ctrlKey || metaKey || shiftKey) return;
  if (target.closest("[data-island] [data-start]")) recordStart(spot);
  const second = seekTargetOf(target);
  if (second === null) return;
  event.preventDefault(); // times of the transcript are links, for browsers without scripts
  recordStart(spot, second);
}

function recordKey(event: KeyboardEvent): void {
  const { key, target, defaultPrevented, altKey, ctrlKey, metaKey } = event;
  const spot = findPendingPlayer();
  if (defaultPrevented || altKey || ctrlKey || metaKey) return;
  if (key === " ") {
    if (!spot || document.activeElement !== document.body) return;
    event.preventDefault();
    recordStart(spot);
    return;
  }
  if (key.length > 1 && key !== "ArrowLeft" && key !== "ArrowRight") return;
  if (!spot && document.readyState === "complete") return;
  const own = "input, textarea, select, dialog, [contenteditable], details.menu[open]";
  if (target instanceof Element && target.closest(own)) return;
  const { dataset } = document.documentElement;
  // shared/shortcuts.ts runs these keys once their shortcuts are registered.
  dataset.earlyKeys = dataset.earlyKeys ? `${dataset.earlyKeys} ${key}` : key;
}

/** Start recording. Called from the head, before the user can act; listens on the window, after all other listeners. */
export function recordEarlyInput(): void {
  addEventListener("click", recordPress);
  addEventListener("keydown", recordKey);
}

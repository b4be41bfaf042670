import { type PointerEvent as ReactPointerEvent, type RefObject, useRef } from "react";

import { followDrag } from "../../shared/drag";
import { dropAt, markDrop } from "./drops";

/** Pixels that the pointer moves before a press becomes a drag. */
const START = 6;
/** At the upper and lower edge of the window a drag scrolls the page. */
const EDGE = 72;
const SCROLL = 14;

type Options = {
  root: RefObject<HTMLElement | null>;
  /** Follows the pointer; its text is set by `labelOf`. */
  ghost: RefObject<HTMLElement | null>;
  /** The entries that go along when this one is dragged, as uids. */
  onStart: (uid: string) => readonly string[];
  labelOf: (uids: readonly string[]) => string;
  /** Whether these may be dropped there; `to` as in `data-drop`. */
  mayDrop: (uids: readonly string[], to: string) => boolean;
  onDrop: (uids: readonly string[], to: string) => void;
};

/**
 * Entries that are dragged with mouse or pen. A finger scrolls the page; for it, and for the keyboard, there is the
 * dialog that asks for the folder.
 */
export function useEntryDrag(options: Options): (event: ReactPointerEvent) => void {
  const latest = useRef(options);
  latest.current = options;

  return (event) => {
    const { target, button, pointerType, clientX, clientY, pointerId } = event;
    if (button !== 0 || pointerType === "touch" || !(target instanceof Element)) return;
    if (target.closest("input, button, [role=menu], .check")) return;
    const uid = target.closest<HTMLElement>("[data-entry]")?.dataset["entry"];
    const root = latest.current.root.current;
    if (uid === undefined || !root) return;

    const waiting = new AbortController();
    const { signal } = waiting;
    addEventListener("pointerup", () => waiting.abort(), { signal });
    addEventListener("pointercancel", () => waiting.abort(), { signal });
    addEventListener(
      "pointermove",
      (moved) => {
        if (moved.pointerId !== pointerId) return;
        if (Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < START) return;
        waiting.abort();
        drag(root, moved, uid, latest.current);
      },
      { signal },
    );
  };
}

function drag(root: HTMLElement, start: PointerEvent, uid: string, options: Options): void {
  const { ghost, onStart, labelOf, mayDrop, onDrop } = options;
  const uids = onStart(uid);
  const shown = ghost.current;
  let target: HTMLElement | null = null;
  let speed = 0;
  let frame = 0;

  const look = (x: number, y: number): void => {
    const found = dropAt(document.elementFromPoint(x, y));
    target = found && mayDrop(uids, found.dataset["drop"] ?? "") ? found : null;
    markDrop(target);
  };
  const scroll = (): void => {
    if (speed !== 0) scrollBy(0, speed);
    frame = requestAnimationFrame(scroll);
  };
  const onMove = ({ clientX, clientY }: PointerEvent): void => {
    if (shown) shown.style.translate = `${clientX + 12}px ${clientY + 12}px`;
    speed = clientY < EDGE ? -SCROLL : clientY > innerHeight - EDGE ? SCROLL : 0;
    look(clientX, clientY);
  };
  const onEnd = (isDropped: boolean): void => {
    cancelAnimationFrame(frame);
    markDrop(null);
    document.documentElement.classList.remove("is-dragging");
    if (shown) shown.hidden = true;
    // The release would open the entry below the pointer.
    const swallow = (event: Event): void => {
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    if (isDropped && target) onDrop(uids, target.dataset["drop"] ?? "");
  };

  getSelection()?.removeAllRanges();
  document.documentElement.classList.add("is-dragging");
  if (shown) {
    shown.hidden = false;
    shown.textContent = labelOf(uids);
  }
  frame = requestAnimationFrame(scroll);
  followDrag(root, start, { onMove, onEnd });
  onMove(start);
}

/** Dragging with mouse, pen or finger. */

export type DragEvents = {
  onMove: (event: PointerEvent) => void;
  /** Called once. `isDropped` is false when Escape or the browser canceled the drag. */
  onEnd: (isDropped: boolean) => void;
};

/** Follow the pointer that was pressed on `handle` until it is released, wherever it moves. */
export function followDrag(
  handle: HTMLElement,
  { pointerId }: Pick<PointerEvent, "pointerId">,
  { onMove, onEnd }: DragEvents,
): void {
  const listening = new AbortController();
  const { signal } = listening;
  const end = (isDropped: boolean): void => {
    listening.abort();
    onEnd(isDropped);
  };
  handle.setPointerCapture(pointerId);
  handle.addEventListener("pointermove", onMove, { signal });
  handle.addEventListener("pointerup", () => end(true), { signal });
  handle.addEventListener("pointercancel", () => end(false), { signal });
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      end(false);
    },
    { signal, capture: true },
  );
}

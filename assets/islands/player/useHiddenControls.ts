import { useEffect, useState } from "react";

export const HIDE_AFTER_MS = 3000;

/** Whether to hide the controls: no input for 3 s while it plays, and no menu, drag or visible focus needs them. */
export function useHiddenControls(stage: HTMLElement | null, isPlaying: boolean): boolean {
  const [isHidden, setHidden] = useState(false);
  useEffect(() => {
    if (!stage || !isPlaying) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isNeeded = (): boolean =>
      stage.querySelector(":focus-visible, [role=menu], [data-holds]") !== null;
    const hide = (): void => {
      if (isNeeded()) show();
      else setHidden(true);
    };
    const show = (): void => {
      setHidden(false);
      clearTimeout(timer);
      timer = setTimeout(hide, HIDE_AFTER_MS);
    };
    // A touch that shows the controls must not press one of them.
    const onTouch = (event: PointerEvent): void => {
      if (event.pointerType !== "touch" || !stage.classList.contains("is-quiet")) return;
      const swallow = (click: Event): void => {
        click.preventDefault();
        click.stopPropagation();
      };
      stage.addEventListener("click", swallow, { capture: true, once: true });
    };
    stage.addEventListener("pointerdown", onTouch, { capture: true });
    const inputs = ["pointermove", "pointerdown", "focusin", "keydown"];
    for (const input of inputs) stage.addEventListener(input, show);
    timer = setTimeout(hide, HIDE_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stage.removeEventListener("pointerdown", onTouch, { capture: true });
      for (const input of inputs) stage.removeEventListener(input, show);
    };
  }, [stage, isPlaying]);
  return isHidden && isPlaying;
}

/** Toasts: one line, one action, six seconds; they wait while hovered or focused; three at most. */
import type { IconName } from "./iconNames";
import { drawIcon } from "./icons";
import { t } from "./i18n";

export const TOAST_SECONDS = 6;
export const MOST_TOASTS = 3;

export type ToastOptions = {
  action?: { label: string; onPress: () => void };
  icon?: IconName;
  /** Stays until dismissed: for what must not be missed. */
  stays?: boolean;
};

function shelf(): HTMLElement {
  const found = document.querySelector<HTMLElement>("[data-toasts]");
  if (found) return found;
  const made = document.createElement("div");
  made.className = "toasts";
  made.dataset.toasts = "";
  document.body.append(made);
  return made;
}

/** Let a toast leave by itself: after its seconds, counted only while nobody is at it. */
export function expire(toast: HTMLElement, seconds: number = TOAST_SECONDS): void {
  let left = seconds * 1000;
  let since = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = (): void => {
    if (timer !== undefined) return;
    since = Date.now();
    timer = setTimeout(() => toast.remove(), left);
  };
  const wait = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left -= Date.now() - since;
  };
  const goOn = (): void => {
    if (!toast.matches(":hover") && !toast.contains(document.activeElement)) run();
  };
  toast.addEventListener("pointerenter", wait);
  toast.addEventListener("pointerleave", goOn);
  toast.addEventListener("focusin", wait);
  toast.addEventListener("focusout", () => setTimeout(goOn));
  run();
}

function button(label: string, onPress: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn btn--sm";
  made.textContent = label;
  made.addEventListener("click", onPress);
  return made;
}

/** Show a toast; never for an error that needs action. Returns how to take it away. */
export function toast(text: string, options: ToastOptions = {}): () => void {
  const { action, icon = "check", stays = false } = options;
  const element = document.createElement("div");
  element.className = "toast";
  element.setAttribute("role", "status");
  const remove = (): void => element.remove();

  const sentence = document.createElement("p");
  element.append(drawIcon(icon), sentence);
  if (action) {
    const press = (): void => {
      remove();
      action.onPress();
    };
    element.append(button(action.label, press));
  }
  const dismiss = document.createElement("button");
  dismiss.type = "button";
  dismiss.className = "icon-btn icon-btn--sm";
  dismiss.setAttribute("aria-label", t("Dismiss"));
  dismiss.append(drawIcon("x"));
  dismiss.addEventListener("click", remove);
  element.append(dismiss);

  const place = shelf();
  while (place.children.length >= MOST_TOASTS) place.firstElementChild?.remove();
  place.append(element);
  // A live region speaks what changes inside it, so the words come after the element.
  sentence.textContent = text;
  if (!stays) expire(element);
  return remove;
}

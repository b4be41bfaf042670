/** Toasts: one line and one action, at most three, each for six seconds not counting hover and focus. */
import type { IconName } from "./iconNames";
import { drawIcon } from "./icons";
import { t } from "./i18n";

export const TOAST_SECONDS = 6;
export const MAX_TOASTS = 3;

export type ToastOptions = {
  action?: { label: string; onPress: () => void };
  icon?: IconName;
  /** Stays until dismissed: for what must not be missed. */
  stays?: boolean;
  /** Not read out, as the caller announces it in other words. */
  isSilent?: boolean;
};

/** Where toasts stand: a landmark, so that those which were announced in other words are found, too. */
function container(): HTMLElement {
  let found = document.querySelector<HTMLElement>("[data-toasts]");
  if (!found) {
    found = document.createElement("div");
    found.className = "toasts";
    found.dataset.toasts = "";
    document.body.append(found);
  }
  found.role = "region";
  found.ariaLabel = t("Messages of this page");
  return found;
}

/** Remove a toast after some seconds, not counting those while it is hovered or focused. */
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

/** Show a toast; not for an error that needs action. Returns a function that removes it. */
export function toast(text: string, options: ToastOptions = {}): () => void {
  const { action, icon = "check", stays = false, isSilent = false } = options;
  const element = document.createElement("div");
  element.className = "toast";
  if (!isSilent) element.setAttribute("role", "status");
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

  const place = container();
  while (place.children.length >= MAX_TOASTS) place.firstElementChild?.remove();
  place.append(element);
  // A live region announces changes, so set the text after the element was added.
  sentence.textContent = text;
  if (!stays) expire(element);
  return remove;
}

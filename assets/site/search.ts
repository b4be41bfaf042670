/** Header search: blank is ignored, the box is empty afterwards, `/` goes there from anywhere. */
import { isShown } from "../shared/visible";

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>("form[data-search] input[name=q]")];
}

/** Whether a key is meant as text, or for a dialog that is open above the page. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest("textarea, select, [role=textbox]")) return true;
  const field = target.closest("input");
  return field !== null && !/^(button|checkbox|radio|range|submit|reset)$/.test(field.type);
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !("search" in form.dataset)) return;
  const box = form.querySelector<HTMLInputElement>("input[name=q]");
  if (!box) return;
  const text = box.value.trim();
  if (text === "") {
    event.preventDefault();
    box.focus();
    return;
  }
  box.value = text;
  // The browser reads the form after this event; then the box is cleared for the way back.
  setTimeout(() => (box.value = ""));
}

function onKey(event: KeyboardEvent): void {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.defaultPrevented || isTyping(event.target) || document.querySelector("dialog[open]"))
    return;
  // Where the header has no room for a box, a menu has it: one's own, or the mobile one.
  const menuOf = (box: Element): HTMLDetailsElement | null => box.closest("details.menu");
  const isInMenu = (box: Element): boolean => isShown(menuOf(box)?.querySelector("summary") ?? box);
  const box = boxes().find(isShown) ?? boxes().find(isInMenu);
  if (!box) return;
  const menu = menuOf(box);
  if (menu) menu.open = true;
  event.preventDefault();
  box.focus();
  box.select();
}

export function startSearch(): void {
  document.addEventListener("submit", onSubmit);
  document.addEventListener("keydown", onKey);
}

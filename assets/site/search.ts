/** Header search: blank is ignored, the box is put back afterwards, `/` goes there from anywhere, and what is typed
 *  brings suggestions. */
import { isShown } from "../shared/visible";
import type { suggestFor } from "./suggestions";

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
  // The browser reads the form after this event; then the box shows what its page was searched for, mostly nothing.
  setTimeout(() => (box.value = box.defaultValue));
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

type Load = () => Promise<{ suggestFor: typeof suggestFor }>;

/** A box becomes a combobox at once, for its role may not change under a reader; its code comes with the first key. */
function offerSuggestions(box: HTMLInputElement, load: Load): void {
  const list = `${box.id}-suggestions`;
  const known = { role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries({ ...known, "aria-controls": list }))
    box.setAttribute(name, value);
  let begun: Promise<unknown> | undefined;
  box.addEventListener("input", () => {
    begun ??= load().then(
      (code) => code.suggestFor(box, list),
      () => (begun = undefined), // offline: Enter still searches
    );
  });
}

export function startSearch(load: Load = () => import("./suggestions")): void {
  for (const box of boxes()) offerSuggestions(box, load);
  document.addEventListener("submit", onSubmit);
  document.addEventListener("keydown", onKey);
}

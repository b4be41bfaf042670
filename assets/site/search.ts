/** Header search: blank is ignored, the box is put back afterwards, what is typed brings suggestions. */
import { isShown } from "../shared/visible";
import type { suggestFor } from "./suggestions";

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>("form[data-search] input[name=q]")];
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

/** The box to write in, and the menu that has to open for it where the header has no room for a box. */
function reachable(): { box: HTMLInputElement; menu: HTMLDetailsElement | null } | null {
  const menuOf = (box: Element): HTMLDetailsElement | null => box.closest("details.menu");
  // Chromium lays out what a closed menu holds: such a box counts as shown, and its menu has to open all the same.
  const shown = boxes().find(isShown);
  if (shown) return { box: shown, menu: menuOf(shown) };
  for (const box of boxes()) {
    const menu = menuOf(box);
    if (menu && isShown(menu.querySelector("summary") ?? menu)) return { box, menu };
  }
  return null;
}

/** Whether the page has a search that can be reached at this width. */
export function hasSearch(): boolean {
  return reachable() !== null;
}

export function focusSearch(): void {
  const found = reachable();
  if (!found) return;
  if (found.menu) found.menu.open = true;
  found.box.focus();
  found.box.select();
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
}

/** Header search: ignores blank text, clears the box afterwards, and shows suggestions. */
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
  // The browser reads the form after this event.
  setTimeout(() => (box.value = ""));
}

/** The search box to focus, and the menu that must open first on narrow screens. */
function findBox(): { box: HTMLInputElement; menu: HTMLDetailsElement | null } | null {
  const menuOf = (box: Element): HTMLDetailsElement | null => box.closest("details.menu");
  // Chromium lays out the content of closed menus, so a shown box may still be in a closed menu.
  const shown = boxes().find(isShown);
  if (shown) return { box: shown, menu: menuOf(shown) };
  for (const box of boxes()) {
    const menu = menuOf(box);
    if (menu && isShown(menu.querySelector("summary") ?? menu)) return { box, menu };
  }
  return null;
}

/** Whether the page has a search box that can be focused at this width. */
export function hasSearch(): boolean {
  return findBox() !== null;
}

/** Focus the search box and select its text. */
export function focusSearch(): void {
  const found = findBox();
  if (!found) return;
  if (found.menu) found.menu.open = true;
  found.box.focus();
  found.box.select();
}

type Load = () => Promise<{ suggestFor: typeof suggestFor }>;

/** Make the box a combobox at once, as its role must not change later; the code is fetched on the first input. */
function offerSuggestions(box: HTMLInputElement, load: Load): void {
  const list = `${box.id}-suggestions`;
  const attributes = { role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries({ ...attributes, "aria-controls": list }))
    box.setAttribute(name, value);
  let loading: Promise<unknown> | undefined;
  box.addEventListener("input", () => {
    loading ??= load().then(
      (code) => code.suggestFor(box, list),
      () => (loading = undefined), // offline: Enter still searches
    );
  });
}

/** Start the search boxes of the page. */
export function startSearch(load: Load = () => import("./suggestions")): void {
  for (const box of boxes()) offerSuggestions(box, load);
  document.addEventListener("submit", onSubmit);
}

/** Filter forms that are sent on each change; the next page restores focus and scroll position. */
import { announce } from "../shared/announce";

const KEY = "study.filter-place";
/** Below this width the filters are a dialog with a submit button. */
const SHEET = "(max-width: 59.99em)";

type Place = { name: string; value: string; y: number; at: string };
type Control = HTMLInputElement | HTMLSelectElement;

function remember(control: Control): void {
  const place = { name: control.name, value: control.value, y: scrollY, at: location.pathname };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(place));
  } catch {
    // Storage is blocked: the next page starts at its top.
  }
}

function restorePlace(form: HTMLFormElement): void {
  let stored: string | null = null;
  try {
    stored = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
  } catch {
    return;
  }
  if (!stored) return;
  const { name, value, y, at } = JSON.parse(stored) as Place;
  if (at !== location.pathname) return;
  const control = ([...form.elements] as Control[]).find(
    (one) => one.name === name && (one.tagName === "SELECT" || one.value === value),
  );
  control?.closest("details")?.setAttribute("open", "");
  control?.focus({ preventScroll: true });
  scrollTo({ top: y, behavior: "instant" });
  // Screen readers start at the focused control, so also announce the number of results.
  const found = document.querySelector("[data-found]")?.textContent.trim().replace(/\s+/g, " ");
  if (found) announce(found);
}

/** Start the filters of this page. */
export function startFilters(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-auto-submit]");
  if (!form) return;
  restorePlace(form);
  void import("./filterSheet").then(
    ({ startSheet }) => startSheet(form, SHEET),
    () => undefined, // offline: the link to #filters shows them without a dialog
  );
  // On the way back, show the filters of the address instead of the change that left the page.
  addEventListener("pageshow", ({ persisted }) => persisted && form.reset());
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
    if (target.form !== form) return;
    const inSheet = target.tagName === "INPUT" && matchMedia(SHEET).matches;
    if (inSheet) return;
    remember(target);
    form.requestSubmit();
  });
}

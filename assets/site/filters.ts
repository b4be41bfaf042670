/** Forms of filters: a change asks for the results at once, and the place of the change is kept. */
import { announce } from "../shared/announce";

const KEY = "study.filter-place";
/** Below this width the filters are a sheet with a button of its own. */
const SHEET = "(max-width: 59.99em)";

type Place = { name: string; value: string; y: number; at: string };
type Control = HTMLInputElement | HTMLSelectElement;

function remember(control: Control): void {
  const place = { name: control.name, value: control.value, y: scrollY, at: location.pathname };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(place));
  } catch {
    // Storage is blocked: the page starts at its top.
  }
}

function goBackTo(form: HTMLFormElement): void {
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
  // The page is read out from the box that has the focus: what the change has brought is said as well.
  const found = document.querySelector("[data-found]")?.textContent.trim().replace(/\s+/g, " ");
  if (found) announce(found);
}

export function startFilters(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-auto-submit]");
  if (!form) return;
  goBackTo(form);
  void import("./filterSheet").then(
    ({ startSheet }) => startSheet(form, SHEET),
    () => undefined, // offline: the style sheet shows the filters by their address
  );
  // Gone back to, a page shows what its address asks for, and not the change that led away from it.
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

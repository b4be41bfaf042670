/**
 * Search suggestions of the server: a listbox below a combobox, following the pattern "list autocomplete with manual
 * selection" of the ARIA Authoring Practices. The focus stays in the box.
 */
import { announce } from "../shared/announce";
import { isComposing } from "../shared/composing";
import { t, tn } from "../shared/i18n";

export const DELAY_MS = 120;
const MIN_LENGTH = 2;

type Fetch = (text: string, signal: AbortSignal) => Promise<string>;

async function fetchOptions(text: string, signal: AbortSignal): Promise<string> {
  const query = new URLSearchParams({ q: text });
  const response = await fetch(`/search/suggestions?${query}`, {
    credentials: "same-origin",
    signal,
  });
  if (!response.ok || response.redirected) throw new Error(`No suggestions (${response.status})`);
  return response.text();
}

/**
 * Show suggestions for the text in the box from now on.
 * @param id of the list, which the box names in `aria-controls`
 */
export function suggestFor(
  box: HTMLInputElement,
  id: string,
  fetchHtml: Fetch = fetchOptions,
): void {
  const list = document.createElement("div");
  list.id = id;
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", t("Suggestions"));
  box.after(list);

  const cached = new Map<string, string>();
  let shown = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: AbortController | undefined;

  const options = (): HTMLAnchorElement[] => [
    ...list.querySelectorAll<HTMLAnchorElement>("[role=option]"),
  ];
  const active = (): number =>
    options().findIndex((one) => one.getAttribute("aria-selected") === "true");

  const mark = (index: number): void => {
    options().forEach((one, at) => {
      one.setAttribute("aria-selected", String(at === index));
    });
    const option = options()[index];
    if (option) box.setAttribute("aria-activedescendant", option.id);
    else box.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  };
  const open = (isOpen: boolean): void => {
    list.hidden = !isOpen;
    box.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) mark(-1);
  };
  const show = (text: string, html: string): void => {
    if (html !== shown) {
      list.innerHTML = html; // rendered and escaped by the server
      options().forEach((one, at) => (one.id = `${id}-${at + 1}`));
      shown = html;
    }
    mark(-1);
    const count = options().length;
    open(count > 0 && document.activeElement === box && box.value.trim() === text);
    if (!list.hidden)
      announce(tn("{count} suggestion", "{count} suggestions", count, { count: String(count) }));
  };
  const update = (): void => {
    clearTimeout(timer);
    request?.abort();
    const text = box.value.trim();
    if (text.length < MIN_LENGTH) {
      open(false);
      return;
    }
    const known = cached.get(text);
    if (known !== undefined) {
      show(text, known);
      return;
    }
    const { signal } = (request = new AbortController());
    timer = setTimeout(() => {
      fetchHtml(text, signal).then(
        (html) => {
          cached.set(text, html);
          show(text, html);
        },
        () => signal.aborted || open(false), // Enter still searches
      );
    }, DELAY_MS);
  };

  const onKey = (event: KeyboardEvent): void => {
    if (isComposing(event) || event.ctrlKey || event.metaKey) return;
    const last = options().length - 1;
    const isOpen = !list.hidden;
    const here = active();
    // Beyond either end no option is active, and Enter searches for the text.
    if (event.key === "ArrowDown" && isOpen && !event.altKey) mark(here === last ? -1 : here + 1);
    else if (event.key === "ArrowUp" && isOpen && !event.altKey) mark(here < 0 ? last : here - 1);
    else if (event.key === "ArrowUp" && isOpen) open(false);
    else if (
      event.key === "ArrowDown" &&
      !isOpen &&
      last >= 0 &&
      box.value.trim().length >= MIN_LENGTH
    )
      update();
    else if (event.key === "Escape" && isOpen) open(false);
    else if (event.key === "Enter" && isOpen && here >= 0) {
      options()[here]?.click();
      open(false);
    } else return;
    event.preventDefault();
    event.stopPropagation(); // keep the menu around the box from moving or closing
  };

  box.addEventListener("input", update);
  box.addEventListener("keydown", onKey);
  box.addEventListener("blur", () => open(false));
  box.form?.addEventListener("submit", () => {
    clearTimeout(timer);
    request?.abort();
    open(false);
  });
  // Keep the focus in the box while an option is pressed, or the list would close before the click.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("mousedown", (event) => event.preventDefault());
  addEventListener("pageshow", ({ persisted }) => persisted && open(false));
  update();
}

/**
 * What the server suggests for the text in a search box: a listbox under a combobox, after the pattern of the ARIA
 * Authoring Practices ("list autocomplete with manual selection"). The focus stays in the box.
 */
import { announce } from "../shared/announce";
import { t, tn } from "../shared/i18n";

export const DELAY_MS = 120;
const SHORTEST = 2;

type Fetch = (text: string, signal: AbortSignal) => Promise<string>;

async function fetchOptions(text: string, signal: AbortSignal): Promise<string> {
  const query = new URLSearchParams({ q: text });
  const answer = await fetch(`/search/suggestions?${query}`, {
    credentials: "same-origin",
    signal,
  });
  if (!answer.ok || answer.redirected) throw new Error(`No suggestions (${answer.status})`);
  return answer.text();
}

/** Offer suggestions for what stands in the box, from now on. `id` is that of the list, which the box names already. */
export function suggestFor(box: HTMLInputElement, id: string, ask: Fetch = fetchOptions): void {
  const list = document.createElement("div");
  list.id = id;
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", t("Suggestions"));
  box.after(list);

  const answers = new Map<string, string>();
  let shown = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked: AbortController | undefined;

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
      list.innerHTML = html; // our own page, its texts escaped by the server
      options().forEach((one, at) => (one.id = `${id}-${at + 1}`));
      shown = html;
    }
    mark(-1);
    const count = options().length;
    open(count > 0 && document.activeElement === box && box.value.trim() === text);
    if (!list.hidden)
      announce(tn("{count} suggestion", "{count} suggestions", count, { count: String(count) }));
  };
  const look = (): void => {
    clearTimeout(timer);
    asked?.abort();
    const text = box.value.trim();
    if (text.length < SHORTEST) {
      open(false);
      return;
    }
    const known = answers.get(text);
    if (known !== undefined) {
      show(text, known);
      return;
    }
    const { signal } = (asked = new AbortController());
    timer = setTimeout(() => {
      ask(text, signal).then(
        (html) => {
          answers.set(text, html);
          show(text, html);
        },
        () => signal.aborted || open(false), // Enter still searches
      );
    }, DELAY_MS);
  };

  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const last = options().length - 1;
    const isOpen = !list.hidden;
    const here = active();
    // Past either end is the box itself, whose text can then be searched for.
    if (event.key === "ArrowDown" && isOpen && !event.altKey) mark(here === last ? -1 : here + 1);
    else if (event.key === "ArrowUp" && isOpen && !event.altKey) mark(here < 0 ? last : here - 1);
    else if (event.key === "ArrowUp" && isOpen) open(false);
    else if (
      event.key === "ArrowDown" &&
      !isOpen &&
      last >= 0 &&
      box.value.trim().length >= SHORTEST
    )
      look();
    else if (event.key === "Escape" && isOpen) open(false);
    else if (event.key === "Enter" && isOpen && here >= 0) {
      options()[here]?.click();
      open(false);
    } else return;
    event.preventDefault();
    event.stopPropagation(); // the menu around the box would move or close
  };

  box.addEventListener("input", look);
  box.addEventListener("keydown", onKey);
  box.addEventListener("blur", () => open(false));
  box.form?.addEventListener("submit", () => {
    clearTimeout(timer);
    asked?.abort();
    open(false);
  });
  // The box keeps the focus while an option is pressed: else the list would be gone before the click.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("mousedown", (event) => event.preventDefault());
  addEventListener("pageshow", ({ persisted }) => persisted && open(false));
  look();
}

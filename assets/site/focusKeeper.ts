/**
 * Keeps the place of the keyboard. When what has the focus is removed, hidden or disabled, browsers give the focus to
 * the whole page, and the next Tab begins at the top. Here it goes to what took the place: the opener of what was
 * closed, the next entry of a list, the heading of the part.
 *
 * Code that knows a better place sets the focus itself; this only acts when nobody did.
 */

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]:not([tabindex='-1'])";
const LISTS = "ul, ol, tbody, [role=list], [role=listbox], [role=tablist]";
const HEADINGS = "h1, h2, h3, h4";
const CLOSABLE = "[popover], dialog, details, [role=dialog], [role=menu]";
/** Long enough for a handler or an effect of the same action to set the focus. */
const WAIT_MS = 80;

type Ancestor = { element: Element; index: number };

const isVisible = (element: Element): boolean =>
  element.isConnected &&
  (typeof element.checkVisibility !== "function" ||
    element.checkVisibility({ visibilityProperty: true }));

function firstIn(root: Element, selector: string): HTMLElement | null {
  for (const found of root.querySelectorAll<HTMLElement>(selector))
    if (isVisible(found)) return found;
  return null;
}

/** Where an element is: its ancestors from the inside out, each with the place of the child that leads to it. */
function trailOf(element: Element): Ancestor[] {
  const trail: Ancestor[] = [];
  for (let child = element; child.parentElement; child = child.parentElement) {
    const parent = child.parentElement;
    trail.push({ element: parent, index: [...parent.children].indexOf(child) });
    if (parent === document.body) break;
  }
  return trail;
}

const openers = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>("[popovertarget], [aria-controls]"),
];

/** The button that opened the closed part in which an element is, or that closes it. */
function openerOf(element: Element): HTMLElement | null {
  for (
    let part = element.closest<HTMLElement>(CLOSABLE);
    part;
    part = part.parentElement?.closest<HTMLElement>(CLOSABLE) ?? null
  ) {
    const opener =
      part instanceof HTMLDetailsElement
        ? part.querySelector<HTMLElement>(":scope > summary")
        : openers().find(
            ({ attributes }) =>
              part.id !== "" &&
              ["popovertarget", "aria-controls"].some(
                (name) => attributes.getNamedItem(name)?.value === part.id,
              ),
          );
    if (opener && opener !== element && isVisible(opener)) return opener;
  }
  return null;
}

function placeIn({ element, index }: Ancestor): HTMLElement | null {
  if (element.matches(LISTS)) {
    const entries = [...element.children].filter(isVisible);
    const entry = entries[Math.min(index, entries.length - 1)];
    if (entry) return firstIn(entry, FOCUSABLE);
    return null; // an empty list: its heading is further out
  }
  return firstIn(element, HEADINGS) ?? firstIn(element, FOCUSABLE);
}

function placeFor(element: Element, trail: readonly Ancestor[]): HTMLElement | null {
  const opener = element.isConnected ? openerOf(element) : null;
  if (opener) return opener;
  for (const ancestor of trail) {
    if (ancestor.element === document.body) break;
    const place = isVisible(ancestor.element) ? placeIn(ancestor) : null;
    if (place) return place;
  }
  return document.querySelector<HTMLElement>("main");
}

/** Focus an element, a heading too. */
function focusOn(place: HTMLElement): void {
  if (!place.matches(FOCUSABLE) && !place.hasAttribute("tabindex")) {
    place.tabIndex = -1;
    place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
  }
  place.focus({ preventScroll: true });
}

/** Start keeping the focus. Returns a function that stops. */
export function startFocusKeeper(): () => void {
  let last: HTMLElement | null = null;
  let trail: Ancestor[] = [];
  let wasDisabled = false;
  let timer = 0;

  const check = (): void => {
    timer = 0;
    const active = document.activeElement;
    if (!last || (active && active !== document.body)) return;
    if (isVisible(last)) {
      if (last.matches(":disabled")) wasDisabled = true;
      else if (wasDisabled) last.focus({ preventScroll: true });
      return;
    }
    const place = placeFor(last, trail);
    last = null;
    if (place) focusOn(place);
  };
  const schedule = (): void => {
    if (last && timer === 0) timer = window.setTimeout(check, WAIT_MS);
  };
  const onFocus = ({ target }: { target: EventTarget | null }): void => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    last = target;
    trail = trailOf(target);
    wasDisabled = false;
  };
  /** A press beside everything leaves the place on purpose. */
  const onPress = ({ target }: Event): void => {
    if (
      last &&
      isVisible(last) &&
      target instanceof Element &&
      !target.closest(FOCUSABLE + ", label")
    )
      last = null;
  };
  const observer = new MutationObserver(schedule);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["hidden", "open", "disabled", "inert", "class", "aria-hidden"],
  });
  document.addEventListener("focusin", onFocus);
  onFocus({ target: document.activeElement });
  document.addEventListener("pointerdown", onPress);
  document.addEventListener("toggle", schedule, { capture: true });
  document.addEventListener("close", schedule, { capture: true });
  return () => {
    observer.disconnect();
    window.clearTimeout(timer);
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPress);
    document.removeEventListener("toggle", schedule, { capture: true });
    document.removeEventListener("close", schedule, { capture: true });
  };
}

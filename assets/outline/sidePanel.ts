/**
 * The panel beside the outline follows the selection: links to lessons, and the forms of the panel, load the part of
 * the page that changes. The address follows, and so does the panel when the user goes back. Without this script, the
 * same links and forms load the whole page. Questions have pages of their own, with room for what learners meet.
 */
import { confirmFirst, isReplaceable } from "../shared/confirming";
import { t } from "../shared/i18n";
import { updateLessonRow } from "../shared/lecturesPage";
import { lineOf, selectLine } from "../shared/openLine";
import { toast } from "../shared/toasts";
import type { Change } from "./outlineCalls";
import { fetchPart } from "./partOfPage";

/** Milliseconds after which the old panel fades, because the new one is slow to come. */
const SLOW_MS = 250;
/** Where Escape belongs to what is being written. */
const WRITING = "input, textarea, select, [contenteditable], dialog, details.menu[open]";
/** What a panel that covers the screen has behind it. */
const BEHIND = ".rail, .work-head, .studio__tabs, [data-list]";

type OfferedChange = Pick<Change, "uid" | "text">;

export type SidePanel = {
  /** Show the panel at an address of this page, as a link to it does. */
  open: (address: string) => Promise<void>;
  /** Mark the row of the open lesson: it has just been added to the outline. */
  markOpened: () => void;
  /** Fetch what changes with each save: the row of the lesson, and what it lacks. */
  refreshState: () => Promise<void>;
};

/**
 * @param onShown called with each panel of a lesson, also with the one the page came with; null: it was closed
 * @param onAdded called when a lesson was added, and its panel is shown
 * @param onRecorded called with a change of the outline that the server offers to take back
 */
export function startSidePanel(
  grid: HTMLElement,
  side: HTMLElement,
  onShown: (panel: HTMLElement | null) => void,
  onAdded: () => void,
  onRecorded: (change: OfferedChange) => void,
): SidePanel {
  const base = grid.dataset.lectures ?? "";
  const addresses = new RegExp(`^${base}(/[\\w-]+)?$`);
  let shown = location.pathname + location.search;
  let latest = 0;

  const panel = (): HTMLElement | null => side.querySelector<HTMLElement>("#panel");
  /** Below the width of two columns the panel lies over the outline. */
  const isSheet = (): boolean => {
    const opened = panel();
    return opened !== null && getComputedStyle(opened).position === "fixed";
  };
  const linkOf = (lesson = ""): HTMLElement | null =>
    grid.querySelector<HTMLElement>(`[data-list] [data-lesson="${lesson}"] [data-title]`);

  function isPanelAddress(address: string): boolean {
    const url = new URL(address, location.href);
    return url.origin === location.origin && addresses.test(url.pathname);
  }

  /** What the panel shows at an address, at whichever line. */
  function placeOf(address: string): string {
    const { pathname, searchParams } = new URL(address, location.href);
    searchParams.delete("line");
    return `${pathname}?${searchParams}`;
  }

  /** Go where an address leads within the panel: to a line of a text, to a field, or to its top. */
  function goTo({ hash, search }: Pick<URL, "hash" | "search">, takesFocus: boolean): void {
    const opened = panel();
    const found = hash.length > 1 ? document.getElementById(hash.slice(1)) : null;
    const target = found && opened?.contains(found) ? found : opened;
    if (!target) return;
    for (let at = target.closest("details"); at; at = at.parentElement?.closest("details") ?? null)
      at.open = true;
    if (target !== opened) target.scrollIntoView({ block: "center" });
    if (takesFocus && target instanceof HTMLTextAreaElement && lineOf(search) > 0)
      selectLine(target, lineOf(search));
    else if (takesFocus) target.focus({ preventScroll: true });
  }

  function markRow(path: string): void {
    for (const link of grid.querySelectorAll<HTMLAnchorElement>("[data-lesson] [data-title]")) {
      const own = new URL(link.href).pathname;
      const isOpen = path === own || path.startsWith(`${own}/`);
      link.closest("[data-lesson]")?.classList.toggle("is-open", isOpen);
      if (isOpen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      if (isOpen) link.closest("details")?.setAttribute("open", "");
    }
  }

  /** While the panel covers the whole screen, the page behind it is out of reach. */
  function coverPage(): void {
    const covers = isSheet() && (panel()?.offsetWidth ?? 0) > innerWidth - 64;
    document.documentElement.classList.toggle("has-sheet", covers);
    for (const behind of document.querySelectorAll<HTMLElement>(BEHIND)) behind.inert = covers;
  }

  function takeRow(part: HTMLElement): void {
    for (const row of part.querySelectorAll<HTMLElement>("[data-lesson]"))
      updateLessonRow(row.dataset.lesson ?? "", part);
  }

  function show(part: HTMLElement): void {
    takeRow(part);
    const fresh = part.querySelector("aside");
    const before = document.createElement("div");
    before.append(...side.childNodes);
    if (before.querySelector("[data-island]"))
      void import("../shared/mount").then(({ unmountWithin }) => unmountWithin(before));
    if (fresh) side.append(fresh);
    coverPage();
    markRow(new URL(shown, location.href).pathname);
    const title = part.querySelector("[data-page-title]")?.textContent ?? "";
    document.title = `${title}${document.title.slice(document.title.lastIndexOf(" | "))}`;
    for (const flash of part.querySelectorAll<HTMLElement>("[data-flash]"))
      toast(
        flash.textContent,
        flash.dataset.flash === "error" ? { icon: "circle-alert", stays: true } : {},
      );
    const offered = part.querySelector<HTMLElement>("[data-offered-undo]");
    if (offered) onRecorded({ uid: offered.dataset.offeredUndo ?? "", text: offered.textContent });
    for (const spot of side.querySelectorAll<HTMLElement>("[data-island]")) {
      useNonce(spot, grid.nonce ?? "");
      if (spot.dataset.when === "focus")
        void import("../site/formIslands").then(({ loadWithForm }) =>
          loadWithForm(spot, mountIsland),
        );
      else void mountIsland(spot);
    }
    onShown(panel());
  }

  /** Whether another page is to be shown. */
  const isElsewhere = (instead: Awaited<ReturnType<typeof load>>): boolean =>
    instead === "elsewhere" || instead === "refused";

  type Loading = { isNew: boolean; takesFocus: boolean; form?: FormData };

  /** @returns what is to be done instead, if the answer is no panel; "failed": there was none, which was said */
  async function load(
    address: string,
    { isNew, takesFocus, form }: Loading,
  ): Promise<"elsewhere" | "refused" | "failed" | null> {
    const mine = (latest += 1);
    const slow = setTimeout(() => side.classList.add("is-loading"), SLOW_MS);
    const { pathname, search, hash } = new URL(address, location.href);
    if (!form) markRow(pathname);
    try {
      const init = form ? { method: "POST", body: form } : {};
      const answer = await fetchPart("panel", pathname + search, init);
      if (mine !== latest) return null; // another lesson was chosen meanwhile
      if (answer.kind === "refused") return "refused";
      if (answer.kind === "elsewhere") {
        location.assign(answer.address);
        return "elsewhere";
      }
      shown = answer.address;
      if (isNew && shown !== location.pathname + location.search)
        history.pushState(null, "", shown);
      show(answer.body);
      goTo({ hash: form ? "" : hash, search }, takesFocus);
    } catch {
      if (mine === latest) markRow(new URL(shown, location.href).pathname);
      if (mine === latest || form)
        toast(
          form
            ? t("Nothing was sent. What you wrote is kept here: try again.")
            : t("The lesson couldn't be loaded. Check your connection and try again."),
          { icon: "circle-alert" },
        );
      return "failed";
    } finally {
      clearTimeout(slow);
      if (mine === latest) side.classList.remove("is-loading");
    }
    return null;
  }

  /** Whether what is written in the panel may be left. */
  async function mayLeave(isSending = false): Promise<boolean> {
    if (isSending || isReplaceable(side)) return true;
    return confirmFirst({
      title: t("Leave without saving?"),
      text: t("What you wrote here isn't saved yet."),
      confirm: t("Leave"),
      keep: t("Keep writing"),
    });
  }

  async function open(address: string, takesFocus = false): Promise<void> {
    const url = new URL(address, location.href);
    if (placeOf(url.href) === placeOf(shown)) {
      // What is written there stays, and so does its history.
      shown = url.pathname + url.search;
      history.replaceState(null, "", url);
      goTo(url, true);
      return;
    }
    if (!(await mayLeave())) return;
    const left = panel()?.dataset.opened;
    if (isElsewhere(await load(address, { isNew: true, takesFocus }))) {
      location.assign(address);
      return;
    }
    const opened = panel();
    if (!opened) linkOf(left)?.focus({ preventScroll: true });
    else if (isSheet()) opened.focus({ preventScroll: true });
  }

  async function send(form: HTMLFormElement, action: string, button: HTMLElement | null) {
    const body = new FormData(form);
    const isNamed = button instanceof HTMLButtonElement && button.name !== "";
    if (isNamed) body.append(button.name, button.value);
    button?.setAttribute("aria-busy", "true");
    const instead = await load(action, { isNew: true, takesFocus: true, form: body });
    button?.removeAttribute("aria-busy");
    if (instead === null && !side.contains(form)) {
      // The next title may be typed already.
      const fields = [...form.querySelectorAll<HTMLInputElement>("input:not([type=hidden])")];
      if (fields.every(({ name, value }) => body.get(name) === value)) form.reset();
      onAdded();
    }
    if (instead === null) panel()?.querySelector<HTMLElement>("[data-errors]")?.focus();
    if (instead !== "refused") return;
    // Nothing was saved: send it as a page, which says why.
    const named = document.createElement("input");
    if (isNamed) Object.assign(named, { type: "hidden", name: button.name, value: button.value });
    form.append(named);
    form.setAttribute("action", action);
    HTMLFormElement.prototype.submit.call(form);
  }

  grid.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
    if (link?.target !== "" || !isPanelAddress(link.href)) return;
    event.preventDefault();
    link.closest("details.menu")?.removeAttribute("open");
    const isByKeyboard = event.detail === 0;
    void open(link.href, isByKeyboard || side.contains(link));
  });
  grid.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (!side.contains(form) && !("adds" in form.dataset)) return;
    if (event.defaultPrevented || form.method !== "post" || !navigator.onLine) return;
    const { submitter } = event;
    const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
    const isOwn = new URL(action, location.href).pathname.startsWith(`${base}/`);
    if (!isOwn && side.contains(form)) return;
    event.preventDefault();
    void mayLeave(side.contains(form)).then((isLeaving) => {
      if (isLeaving) void send(form, action, submitter);
    });
  });
  side.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key !== "Escape" || event.defaultPrevented || !panel()) return;
    if (!(target instanceof Element) || target.closest(WRITING)) return;
    if (isSheet()) void open(side.querySelector<HTMLAnchorElement>("[data-close]")?.href ?? base);
    else linkOf(panel()?.dataset.opened)?.focus();
  });
  addEventListener("popstate", () => {
    const address = location.pathname + location.search;
    if (address === shown || !isPanelAddress(address)) return;
    void mayLeave().then(async (isLeaving) => {
      if (!isLeaving) history.pushState(null, "", shown);
      else if (isElsewhere(await load(address, { isNew: false, takesFocus: false })))
        location.reload();
    });
  });
  addEventListener("resize", coverPage);

  // A press fetches the panel alone, so pages of rows are not fetched ahead.
  grid.dataset.noPreload = "";
  coverPage();
  const first = panel();
  if (first) onShown(first);

  return {
    open,
    markOpened: () => markRow(new URL(shown, location.href).pathname),
    refreshState: async () => {
      const opened = panel();
      const { pathname } = new URL(shown, location.href);
      const answer = await fetchPart("state", pathname).catch(() => null);
      if (answer?.kind !== "part" || !opened || panel() !== opened) return;
      takeRow(answer.body);
      const old = opened.querySelector("[data-panel-state]");
      const fresh = answer.body.querySelector("[data-panel-state]");
      if (old && fresh && !old.isEqualNode(fresh)) old.replaceWith(fresh);
    },
  };
}

async function mountIsland(spot: HTMLElement): Promise<void> {
  const { mount } = await import("../shared/mount");
  await mount(spot);
}

/** The live editor adds styles under the nonce of this page; a fetched part has that of its own response. */
function useNonce(spot: HTMLElement, nonce: string): void {
  const script = spot.nextElementSibling;
  if (!(script instanceof HTMLScriptElement)) return;
  const props = JSON.parse(script.textContent) as Record<string, unknown>;
  if ("nonce" in props) script.textContent = JSON.stringify({ ...props, nonce });
}

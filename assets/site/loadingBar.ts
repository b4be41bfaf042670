/** A bar at the top while the next page loads: after 1 s, and then for at least half a second. */
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";
import { isDownload } from "./forms";

export const PENDING_MS = 1000;
export const SHOWN_MS = 500;
/** A response that is a download does not replace the page, so the bar hides after this time. */
const GIVE_UP_MS = 20_000;

const key = "study.pending";

let bar: HTMLElement | null = null;
let timers: ReturnType<typeof setTimeout>[] = [];

function later(work: () => void, delay: number): void {
  timers.push(setTimeout(work, delay));
}

function show(): void {
  if (bar) return;
  bar = document.createElement("div");
  bar.className = "pagebar";
  bar.setAttribute("aria-hidden", "true"); // it is announced, and belongs to no landmark of the page
  document.body.append(bar);
}

function hide(): void {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
  bar?.remove();
  bar = null;
}

/** Another page was requested. */
function leave(): void {
  hide();
  later(() => {
    show();
    announce(t("Loading the page"));
    // The next page continues the bar, so that it does not flash.
    sessionStorage.setItem(key, String(Date.now()));
    later(hide, GIVE_UP_MS);
  }, PENDING_MS);
}

/** A page has loaded: continue a bar that has only just appeared on the page before. */
function arrive(): void {
  hide();
  const shown = Date.now() - Number(sessionStorage.getItem(key) ?? 0);
  sessionStorage.removeItem(key);
  if (shown >= SHOWN_MS) return;
  show();
  later(hide, SHOWN_MS - shown);
}

function leadsAway(event: MouseEvent): boolean {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  if (!link || link.hasAttribute("download") || !["", "_self"].includes(link.target)) return false;
  const url = new URL(link.href);
  if (!url.protocol.startsWith("http")) return false;
  const isSamePage = url.pathname === location.pathname && url.search === location.search;
  return !(isSamePage && url.origin === location.origin && url.hash !== "");
}

/** Show the bar for links and forms of this page. */
export function startLoadingBar(): void {
  arrive();
  // On the window: after all listeners of the page, which may have prevented the event.
  addEventListener("click", (event) => {
    if (leadsAway(event)) leave();
  });
  addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (event.defaultPrevented || isDownload(event)) return;
    if (form.method !== "dialog" && form.target === "") leave();
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) hide();
  });
}

/** Error pages that reload after a countdown, at most three times in a row, unless the user stops it. */
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";

const KEY = "study.retries";
export const MAX_RETRIES = 3;
/** Earlier failures are a separate incident. */
const RECENT_MS = 5 * 60_000;

type Stored = { address: string; count: number; at: number };

function retriesSoFar(address: string): number {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Stored | null;
    const isNew = stored?.address !== address || Date.now() - stored.at > RECENT_MS;
    return isNew ? 0 : stored.count;
  } catch {
    return MAX_RETRIES; // without storage retries cannot be counted: never retry, rather than forever
  }
}

function store(address: string, count: number): boolean {
  try {
    const stored: Stored = { address, count, at: Date.now() };
    sessionStorage.setItem(KEY, JSON.stringify(stored));
    return true;
  } catch {
    return false;
  }
}

/** Start the countdown of this page. */
export function startPageRetry(reload = (): void => location.reload()): void {
  const panel = document.querySelector<HTMLElement>("[data-retry]");
  const message = panel?.querySelector<HTMLElement>("[data-retry-says]");
  if (!panel || !message) return;
  const address = location.pathname + location.search;
  const count = retriesSoFar(address);
  if (count >= MAX_RETRIES || !store(address, count + 1)) return;

  let left = Number(panel.dataset.retry) * 2 ** count; // wait longer each time
  const show = (): void => {
    message.textContent = (message.dataset.text ?? "").replace("{seconds}", String(left));
  };
  const timer = setInterval(() => {
    left -= 1;
    show();
    if (left > 0) return;
    clearInterval(timer);
    announce(t("Retrying now"));
    reload();
  }, 1000);
  panel.querySelector("[data-retry-stop]")?.addEventListener("click", () => {
    clearInterval(timer);
    panel.hidden = true;
    announce(t("Automatic retry stopped"));
    document.querySelector<HTMLElement>("main a[href]")?.focus();
  });
  show();
  panel.hidden = false;
  announce(t("Retrying in {seconds} seconds", { seconds: left }));
}

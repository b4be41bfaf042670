/** A page that failed: it loads itself again after a countdown, three times in a row at most, unless it is stopped. */
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";

const KEY = "study.retries";
export const MOST = 3;
/** What failed longer ago than this has nothing to do with it. */
const FORGOTTEN_MS = 5 * 60_000;

type Kept = { address: string; count: number; at: number };

function past(address: string): number {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Kept | null;
    const isNew = kept?.address !== address || Date.now() - kept.at > FORGOTTEN_MS;
    return isNew ? 0 : kept.count;
  } catch {
    return MOST; // Without storage nobody could count: better no retry than one without end.
  }
}

function keep(address: string, count: number): boolean {
  try {
    const kept: Kept = { address, count, at: Date.now() };
    sessionStorage.setItem(KEY, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

export function startRetrying(reload = (): void => location.reload()): void {
  const place = document.querySelector<HTMLElement>("[data-retry]");
  const says = place?.querySelector<HTMLElement>("[data-retry-says]");
  if (!place || !says) return;
  const address = location.pathname + location.search;
  const count = past(address);
  if (count >= MOST || !keep(address, count + 1)) return;

  let left = Number(place.dataset.retry) * 2 ** count; // a server that is down is given longer each time
  const show = (): void => {
    says.textContent = (says.dataset.text ?? "").replace("{seconds}", String(left));
  };
  const timer = setInterval(() => {
    left -= 1;
    show();
    if (left > 0) return;
    clearInterval(timer);
    announce(t("Retrying now"));
    reload();
  }, 1000);
  place.querySelector("[data-retry-stop]")?.addEventListener("click", () => {
    clearInterval(timer);
    place.hidden = true;
    announce(t("Automatic retry stopped"));
    document.querySelector<HTMLElement>("main a[href]")?.focus();
  });
  show();
  place.hidden = false;
  announce(t("Retrying in {seconds} seconds", { seconds: left }));
}

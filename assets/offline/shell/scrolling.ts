/** Scroll position and fragment of a page whose content arrives after the page: as if it had come with it. */

const SCROLL_KEY = "study.offline.scroll";

type Places = Record<string, number>;

/** The places of this tab, by the address and the entry of the history. */
function readPlaces(): Places {
  try {
    return JSON.parse(sessionStorage.getItem(SCROLL_KEY) ?? "{}") as Places;
  } catch {
    return {};
  }
}

function entryKey(): string {
  const { index = "" } = (history.state as { index?: string } | null) ?? {};
  return `${location.pathname}${location.search} ${index}`;
}

/** Keep the position when the page is left. */
export function keepScroll(): void {
  history.scrollRestoration = "manual";
  if ((history.state as { index?: string } | null)?.index === undefined)
    history.replaceState({ index: String(Date.now()) }, "");
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(
        SCROLL_KEY,
        JSON.stringify({ ...readPlaces(), [entryKey()]: scrollY }),
      );
    } catch {
      // Storage is blocked: the page begins at its top.
    }
  });
}

/** Load the page again. The server's page keeps no position: the browser restores it. */
export function reloadPage(): void {
  history.scrollRestoration = "auto";
  location.reload();
}

/** Once the content is there: scroll to where it was left, or to the fragment of the address. */
export function restoreScroll(): void {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const kept = readPlaces()[entryKey()];
  const isReturn = navigation?.type === "reload" || navigation?.type === "back_forward";
  if (isReturn && kept !== undefined) scrollTo({ top: kept, behavior: "instant" });
  // The same navigation within the page also moves the place at which the tab key goes on, and `:target`.
  else if (location.hash !== "") location.replace(location.hash);
}

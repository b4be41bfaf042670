/** Prefetches a page when the user is likely to open it: after 50 ms of hover or focus, or on a press. */

export const INTENT_MS = 50;
/** Most pages prefetched from one page; enough for a menu that is read with the pointer. */
export const MAX_PAGES = 10;

const excluded = /^\/(api|admin|accounts|auth\/logout|media|static|mcp|ws)(\/|$)/;

type Connection = { saveData?: boolean; effectiveType?: string };

function isDataSaving(): boolean {
  const { connection } = navigator as { connection?: Connection };
  return connection?.saveData === true || (connection?.effectiveType ?? "").includes("2g");
}

/** The address to prefetch; null unless the link leads to another page of this site that may be prefetched. */
export function addressOf(link: HTMLAnchorElement, here: Location = location): string | null {
  if (link.hasAttribute("download") || !["", "_self"].includes(link.target)) return null;
  if (link.closest("[data-no-preload]")) return null;
  const url = new URL(link.href, here.href);
  if (url.origin !== here.origin || excluded.test(url.pathname)) return null;
  if (url.searchParams.has("token")) return null; // a one-time link would be used up
  const address = url.pathname + url.search;
  return address === here.pathname + here.search ? null : address;
}

function prefetch(address: string, link: HTMLAnchorElement): void {
  if (HTMLScriptElement.supports("speculationrules")) {
    // The rules in the Speculation-Rules header prefetch each link with this attribute (site/system/prefetch.py).
    // Rules in an inline script would need a hash or a nonce in the content security policy.
    link.dataset.prefetch = "";
    return;
  }
  const hint = document.createElement("link");
  hint.rel = "prefetch";
  hint.href = address;
  document.head.append(hint);
}

/** Watch the links of the page. */
export function startPreloading(
  fetchPage: (address: string, link: HTMLAnchorElement) => void = prefetch,
): void {
  const fetched = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const want = (link: HTMLAnchorElement, delay: number): void => {
    clearTimeout(timer);
    const address = addressOf(link);
    if (address === null || fetched.has(address) || fetched.size >= MAX_PAGES || isDataSaving())
      return;
    const go = (): void => {
      fetched.add(address);
      fetchPage(address, link);
    };
    if (delay === 0) go();
    else timer = setTimeout(go, delay);
  };
  const linkAt = ({ target }: Event): HTMLAnchorElement | null =>
    target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  const on = (type: string, delay: number): void =>
    document.addEventListener(
      type,
      (event) => {
        const link = linkAt(event);
        if (link) want(link, delay);
        else clearTimeout(timer);
      },
      { passive: true },
    );
  on("pointerover", INTENT_MS);
  on("focusin", INTENT_MS);
  on("pointerdown", 0);
}

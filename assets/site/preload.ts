/** Fetch a page ahead when a person shows that they want it: 50 ms of hover or focus, or a press. */

export const INTENT_MS = 50;
/** Pages fetched ahead from one page. Enough for a menu that is read with the pointer. */
export const MOST_PAGES = 10;

const never = /^\/(api|admin|accounts|auth\/logout|media|static|mcp|ws)(\/|$)/;

type Connection = { saveData?: boolean; effectiveType?: string };

function isSparing(): boolean {
  const { connection } = navigator as { connection?: Connection };
  return connection?.saveData === true || (connection?.effectiveType ?? "").includes("2g");
}

/** The address to fetch, if this link leads to another page of this site that may be fetched. */
export function addressOf(link: HTMLAnchorElement, here: Location = location): string | null {
  if (link.hasAttribute("download") || !["", "_self"].includes(link.target)) return null;
  if (link.closest("[data-no-preload]")) return null;
  const url = new URL(link.href, here.href);
  if (url.origin !== here.origin || never.test(url.pathname)) return null;
  if (url.searchParams.has("token")) return null; // a one-time address would be used up
  const address = url.pathname + url.search;
  return address === here.pathname + here.search ? null : address;
}

function fetchAhead(address: string): void {
  if (HTMLScriptElement.supports("speculationrules")) {
    const rules = document.createElement("script");
    rules.type = "speculationrules";
    rules.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
    rules.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: [address] }] });
    document.head.append(rules);
    return;
  }
  const link = document.createElement("link");
  link.rel = "prefetch";
  link.href = address;
  document.head.append(link);
}

export function startPreloading(fetchPage: (address: string) => void = fetchAhead): void {
  const fetched = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const want = (link: HTMLAnchorElement, delay: number): void => {
    clearTimeout(timer);
    const address = addressOf(link);
    if (address === null || fetched.has(address) || fetched.size >= MOST_PAGES || isSparing())
      return;
    const go = (): void => {
      fetched.add(address);
      fetchPage(address);
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

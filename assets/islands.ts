// The loader, on every page. React comes only if the page has an island, and only when the island
// is seen (default), wanted (data-when="intent": the first sign of a person), or at once ("now").

const signs = ["pointermove", "pointerdown", "keydown", "focusin", "scroll"];
let held: Promise<void> | undefined;

async function bring(spot: HTMLElement): Promise<void> {
  const { mount } = await import("./shared/mount");
  await mount(spot, undefined, () => held);
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      void bring(target as HTMLElement);
    }
  },
  { rootMargin: "200px" },
);

for (const spot of document.querySelectorAll<HTMLElement>("[data-island]")) {
  // What was asked before this script was there is kept in data-start (head.ts).
  const { when, start } = spot.dataset;
  // The page before this one asked it to go on by itself.
  const { pathname, search } = location;
  const isCarried = [pathname, pathname + search].includes(
    sessionStorage.getItem("study.autoplay") ?? "",
  );
  const isKeyed = document.documentElement.dataset.earlyKeys !== undefined;
  const isAsked = isCarried || isKeyed || start !== undefined;
  if (when === "now" || (when === "intent" && isAsked)) void bring(spot);
  else if (when === "intent") {
    const wanted = new AbortController();
    const want = (): void => {
      wanted.abort();
      void bring(spot);
    };
    const options = { signal: wanted.signal, passive: true, capture: true };
    for (const sign of signs) addEventListener(sign, want, options);
  } else seen.observe(spot);
}

addEventListener(
  "pointerdown",
  () => {
    held = new Promise((resolve) => {
      for (const end of ["pointerup", "pointercancel"])
        addEventListener(end, () => setTimeout(resolve), { once: true, capture: true });
    });
  },
  { capture: true },
);

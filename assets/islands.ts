// The loader, on every page. React comes only if the page has an island, and only when the island
// is seen (default), wanted (data-when="intent": the first sign of a person), or at once ("now").

const signs = ["pointermove", "pointerdown", "keydown", "focusin", "scroll"];

async function bring(spot: HTMLElement): Promise<void> {
  const { mount } = await import("./shared/mount");
  await mount(spot);
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
  const { when } = spot.dataset;
  if (when === "now") void bring(spot);
  else if (when === "intent") {
    const wanted = new AbortController();
    for (const sign of signs) {
      addEventListener(
        sign,
        () => {
          wanted.abort();
          void bring(spot);
        },
        { signal: wanted.signal, passive: true, capture: true },
      );
    }
  } else seen.observe(spot);
}

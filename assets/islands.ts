// Loads the islands of the page. React is fetched only on pages with an island, and only once it is visible (default),
// at the first input of the user (data-when="intent"), when the user turns to its form (data-when="focus"), or at once
// (data-when="now").

const inputs = ["pointermove", "pointerdown", "keydown", "focusin", "scroll"];
let held: Promise<void> | undefined;

async function load(spot: HTMLElement): Promise<void> {
  const { mount } = await import("./shared/mount");
  await mount(spot, undefined, () => held);
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      void load(target as HTMLElement);
    }
  },
  { rootMargin: "200px" },
);

for (const spot of document.querySelectorAll<HTMLElement>("[data-island]")) {
  // beforePaint.ts has recorded in data-start what the user asked before this script was loaded.
  const { when, start } = spot.dataset;
  // The page before this one asked to continue playing.
  const { pathname, search } = location;
  const isAutoplay = [pathname, pathname + search].includes(
    sessionStorage.getItem("study.autoplay") ?? "",
  );
  const hasEarlyKeys = document.documentElement.dataset.earlyKeys !== undefined;
  const isRequested = isAutoplay || hasEarlyKeys || start !== undefined;
  if (when === "now" || (when === "intent" && isRequested)) void load(spot);
  else if (when === "focus")
    void import("./site/formIslands").then(({ loadWithForm }) => loadWithForm(spot, load));
  else if (when === "intent") {
    const pending = new AbortController();
    const start = (): void => {
      pending.abort();
      void load(spot);
    };
    const options = { signal: pending.signal, passive: true, capture: true };
    for (const input of inputs) addEventListener(input, start, options);
  } else seen.observe(spot);
}

// A word that an input method composes ends in the field in which it began, too.
for (const [begin, ...ends] of [
  ["pointerdown", "pointerup", "pointercancel"],
  ["compositionstart", "compositionend"],
] as const) {
  addEventListener(
    begin,
    () => {
      held = new Promise((resolve) => {
        for (const end of ends)
          addEventListener(end, () => setTimeout(resolve), { once: true, capture: true });
      });
    },
    { capture: true },
  );
}

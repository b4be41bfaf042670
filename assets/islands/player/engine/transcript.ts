/** The transcript that the server wrote: marks the spoken words, leads along, plays what is pressed. */
type Line = { from: number; to: number; words: HTMLElement; item: HTMLElement | null };

const SETTLE_MS = 5000;
const scrolling = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);

export type Transcript = {
  /** The playhead is here. */
  at(time: number): void;
  destroy(): void;
};

/** Whether the page has a transcript; else nothing happens. */
export function followTranscript(root: Document): Transcript {
  const list = root.querySelector<HTMLElement>("[data-transcript]");
  const follow = root.querySelector<HTMLElement>("[data-follow]");
  const lines = linesOf(list);
  const silence = new AbortController();
  const { signal } = silence;
  let current: Line | null = null;
  let isFollowing = follow?.getAttribute("aria-pressed") !== "false";
  let readsAlone = 0;

  const bringIntoView = (line: Line): void => {
    const place = line.item ?? line.words;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    place.scrollIntoView({ block: "nearest", behavior: isStill ? "auto" : "smooth" });
  };
  follow?.addEventListener(
    "click",
    () => {
      isFollowing = !isFollowing;
      readsAlone = 0;
      follow.setAttribute("aria-pressed", String(isFollowing));
      if (isFollowing && current) bringIntoView(current);
    },
    { signal },
  );
  // Who scrolls reads elsewhere: the page waits before it leads again.
  const readAlone = (): void => {
    readsAlone = Date.now();
  };
  addEventListener("wheel", readAlone, { signal, passive: true });
  addEventListener("touchmove", readAlone, { signal, passive: true });
  addEventListener("keydown", ({ key }) => scrolling.has(key) && readAlone(), { signal });

  return {
    at(time) {
      const line = lineAt(lines, time);
      if (line === current) return;
      current?.words.classList.remove("is-said");
      if (current?.item !== line?.item) {
        current?.item?.classList.remove("is-now");
        line?.item?.classList.add("is-now");
      }
      line?.words.classList.add("is-said");
      current = line;
      const isLed = isFollowing && Date.now() - readsAlone > SETTLE_MS && isReading(root);
      if (line && isLed) bringIntoView(line);
    },
    destroy: () => silence.abort(),
  };
}

function linesOf(list: HTMLElement | null): Line[] {
  const spans = list?.querySelectorAll<HTMLElement>("[data-from]") ?? [];
  return [...spans].map((words) => ({
    from: Number(words.dataset.from),
    to: Number(words.dataset.to),
    words,
    item: words.closest("li"),
  }));
}

/** The last line that has begun; none in a pause longer than the words. */
function lineAt(lines: readonly Line[], time: number): Line | null {
  const begun = lines.findLast(({ from }) => from <= time);
  return begun && time < begun.to + 1 ? begun : null;
}

/**
 * Whether the reader has gone down to the words: the picture has been scrolled away, or holds on to the
 * top of the screen. Whoever watches it above the words must not have the page moved under them.
 */
function isReading(root: Document): boolean {
  const stage = root.querySelector(".stage");
  if (!stage) return true;
  const { bottom, height, top } = stage.getBoundingClientRect();
  const place = getComputedStyle(stage.closest("[data-island]") ?? stage);
  const isStuck = place.position === "sticky" && scrollY > 0 && top <= parseFloat(place.top) + 1;
  return isStuck || bottom < height / 2;
}

/** The transcript that the server rendered: marks the spoken line and scrolls to it. */
type Line = { from: number; to: number; words: HTMLElement; item: HTMLElement | null };

const SETTLE_MS = 5000; // no scrolling for so long after the user has scrolled
const scrolling = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);

export type Transcript = {
  /** Mark the line at this second. */
  at(time: number): void;
  destroy(): void;
};

/** Connect to the transcript of the page, if there is one. */
export function followTranscript(root: Document): Transcript {
  const list = root.querySelector<HTMLElement>("[data-transcript]");
  const follow = root.querySelector<HTMLElement>("[data-follow]");
  const lines = linesOf(list);
  const listening = new AbortController();
  const { signal } = listening;
  let current: Line | null = null;
  let isFollowing = follow?.getAttribute("aria-pressed") !== "false";
  let scrolledAt = 0;

  const bringIntoView = (line: Line): void => {
    const place = line.item ?? line.words;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    place.scrollIntoView({ block: "nearest", behavior: isStill ? "auto" : "smooth" });
  };
  follow?.addEventListener(
    "click",
    () => {
      isFollowing = !isFollowing;
      scrolledAt = 0;
      follow.setAttribute("aria-pressed", String(isFollowing));
      if (isFollowing && current) bringIntoView(current);
    },
    { signal },
  );
  // The user has scrolled to read elsewhere: wait before scrolling again.
  const onScroll = (): void => {
    scrolledAt = Date.now();
  };
  addEventListener("wheel", onScroll, { signal, passive: true });
  addEventListener("touchmove", onScroll, { signal, passive: true });
  addEventListener("keydown", ({ key }) => scrolling.has(key) && onScroll(), { signal });

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
      const isLed = isFollowing && Date.now() - scrolledAt > SETTLE_MS && isReading(root);
      if (line && isLed) bringIntoView(line);
    },
    destroy: () => listening.abort(),
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

/** The last line that has started; null in a pause of more than a second after it. */
function lineAt(lines: readonly Line[], time: number): Line | null {
  const begun = lines.findLast(({ from }) => from <= time);
  return begun && time < begun.to + 1 ? begun : null;
}

/**
 * Whether the user has scrolled down to the transcript: the video is out of view, or sticks to the top of the screen.
 * A page whose video is watched above the transcript must not scroll.
 */
function isReading(root: Document): boolean {
  if (root.activeElement?.matches("input, textarea")) return false; // they write elsewhere on the page
  const stage = root.querySelector(".stage");
  if (!stage) return true;
  const { bottom, height, top } = stage.getBoundingClientRect();
  const place = getComputedStyle(stage.closest("[data-island]") ?? stage);
  const isStuck = place.position === "sticky" && scrollY > 0 && top <= parseFloat(place.top) + 1;
  return isStuck || bottom < height / 2;
}

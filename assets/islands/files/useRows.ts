import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useState } from "react";

const OVERSCAN = 8;

type Options = {
  /** The element that contains the rows. */
  root: RefObject<HTMLElement | null>;
  count: number;
  /** The usual height of a row in pixels. */
  height: number;
  /** Pixels between rows. */
  gap?: number;
  /** Rows that are always there, however far they are scrolled away: the focus must not get lost. */
  pinned: readonly number[];
};

/** The rows of a long list that are in view, as the page scrolls. `before` and `after`: pixels for the others. */
export function useRows({ root, count, height, gap = 0, pinned }: Options) {
  const top = useTop(root);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    gap,
    overscan: OVERSCAN,
    scrollMargin: top,
    initialRect: { width: innerWidth, height: innerHeight },
    rangeExtractor: (range) => {
      const shown = new Set(defaultRangeExtractor(range));
      for (const index of pinned) if (index >= 0 && index < count) shown.add(index);
      return [...shown].sort((one, other) => one - other);
    },
  });
  const items = virtualizer.getVirtualItems();
  let end = top;
  const rows = items.map(({ index, start, end: next }) => {
    const before = Math.max(0, start - end);
    end = next + gap;
    return { index, before };
  });
  const after = Math.max(0, top + virtualizer.getTotalSize() + gap - end);
  return { rows, after, measure: virtualizer.measureElement, last: items.at(-1)?.index ?? -1 };
}

/** How far an element is from the top of the page, in pixels. */
function useTop(root: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const read = (): void => {
      if (root.current) setTop(Math.round(root.current.getBoundingClientRect().top + scrollY));
    };
    read();
    // Whatever comes or goes above it changes the height of the page.
    const watcher = new ResizeObserver(read);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [root]);
  return top;
}

/** How many columns of at least `least` pixels fit into an element, as CSS would fill it. */
export function useColumns(
  root: RefObject<HTMLElement | null>,
  least: (width: number) => number,
  gap: number,
): number {
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const read = (): void => {
      const width = element.clientWidth;
      setColumns(Math.max(1, Math.floor((width + gap) / (least(width) + gap))));
    };
    read();
    const watcher = new ResizeObserver(read);
    watcher.observe(element);
    return () => watcher.disconnect();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `least` is the same function in other words
  }, [root, gap]);
  return columns;
}

/** Rows before the end of what is loaded at which more is fetched. */
const AHEAD = 20;

/** Call `onEnd` when the last rows come into view. */
export function useEnd(last: number, count: number, onEnd: () => void): void {
  const isNear = count > 0 && last >= count - AHEAD;
  useEffect(() => {
    if (isNear) onEnd();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each number of rows
  }, [isNear, count]);
}

/** A length in rem as pixels. */
export const rem = (length: number): number =>
  length * (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);

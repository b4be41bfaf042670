import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";

import type { Cues } from "./cues";

/** Pixels of a row before it has been measured. */
const ROW_HEIGHT = 112;
/** Pixels above and below what is seen in which rows are drawn. */
const MARGIN = 600;

export type ListHandle = { show: (id: string) => void };

type Props = {
  cues: Cues;
  current: string | null;
  label: string;
  handle: RefObject<ListHandle | null>;
  renderRow: (index: number) => ReactNode;
};

/**
 * The cues as a list that scrolls by itself and draws the rows near what is seen: thousands of cues cost no more than a
 * few. The current row is always drawn, so the focus is never lost.
 */
export function CueList({ cues, current, label, handle, renderRow }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [measured, setMeasured] = useState(0);
  const [view, setView] = useState({ top: 0, height: 800 });

  const tops = useMemo(() => {
    const all = [0];
    for (const { id } of cues)
      all.push((all.at(-1) ?? 0) + (heights.current.get(id) ?? ROW_HEIGHT));
    return all;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `measured` says that a height has changed
  }, [cues, measured]);
  const total = tops.at(-1) ?? 0;

  const sizes = useMemo(
    () =>
      typeof ResizeObserver === "undefined"
        ? null
        : new ResizeObserver((entries) => {
            let isOther = false;
            for (const { target } of entries) {
              const id = (target as HTMLElement).dataset["row"];
              const height = (target as HTMLElement).offsetHeight;
              if (id === undefined || height === 0 || heights.current.get(id) === height) continue;
              heights.current.set(id, height);
              isOther = true;
            }
            if (isOther) setMeasured((count) => count + 1);
          }),
    [],
  );
  useEffect(() => () => sizes?.disconnect(), [sizes]);
  const observe = useCallback(
    (row: HTMLLIElement | null) => {
      if (!row || !sizes) return undefined;
      sizes.observe(row);
      return () => sizes.unobserve(row);
    },
    [sizes],
  );

  const look = useCallback(() => {
    const element = box.current;
    if (element)
      setView((before) =>
        before.top === element.scrollTop && before.height === element.clientHeight
          ? before
          : { top: element.scrollTop, height: element.clientHeight || 800 },
      );
  }, []);
  useLayoutEffect(() => {
    look();
    const sized = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(look);
    if (box.current) sized?.observe(box.current);
    return () => sized?.disconnect();
  }, [look]);

  const first = lastBefore(tops, view.top - MARGIN);
  const last = Math.min(cues.length - 1, lastBefore(tops, view.top + view.height + MARGIN));
  const drawn: number[] = [];
  for (let at = first; at <= last; at += 1) drawn.push(at);
  const held = current === null ? -1 : cues.findIndex(({ id }) => id === current);
  if (held !== -1 && held < first) drawn.unshift(held);
  if (held > last) drawn.push(held);

  useEffect(() => {
    handle.current = {
      show: (id) => {
        const at = cues.findIndex((cue) => cue.id === id);
        const element = box.current;
        if (at === -1 || !element) return;
        const [top, bottom] = [tops[at] ?? 0, tops[at + 1] ?? 0];
        const { scrollTop, clientHeight } = element;
        if (top < scrollTop) element.scrollTop = top;
        else if (bottom > scrollTop + clientHeight) element.scrollTop = bottom - clientHeight;
        look();
      },
    };
  }, [cues, tops, handle, look]);

  return (
    <div className="cues mt-2" ref={box} onScroll={look}>
      <ol aria-label={label} style={{ height: total }}>
        {drawn.map((at) => {
          const cue = cues[at];
          return (
            cue && (
              <li
                key={cue.id}
                ref={observe}
                data-row={cue.id}
                aria-setsize={cues.length}
                aria-posinset={at + 1}
                aria-current={cue.id === current || undefined}
                style={{ transform: `translateY(${tops[at] ?? 0}px)` }}
              >
                {renderRow(at)}
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}

/** The index of the last row that begins before a pixel. */
function lastBefore(tops: readonly number[], pixel: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= pixel) low = middle;
    else high = middle - 1;
  }
  return low;
}

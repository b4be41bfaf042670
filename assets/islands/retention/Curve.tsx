import { type KeyboardEvent, type MouseEvent, useMemo, useState } from "react";

import { clock, spokenTime } from "../../shared/format";
import { t } from "../../shared/i18n";
import { bandPath, curvePath, leftOf, secondAt, secondOfKey, usualAt } from "./curveGeometry";
import type { RetentionProps } from "./props";

type Props = Pick<RetentionProps, "percents" | "band" | "moments"> & {
  /** Seconds: where the video is. */
  time: number;
  onPlay: (second: number) => void;
};

const TICKS = [0, 25, 50, 75, 100];

/** The retention of a video: a click or an arrow key plays there. */
export function Curve({ percents, band, moments, time, onPlay }: Props) {
  const [hovered, setHovered] = useState<number | null>(null);
  const count = percents.length;
  const path = useMemo(() => curvePath(percents), [percents]);
  const area = useMemo(() => (band ? bandPath(band) : ""), [band]);
  const now = Math.min(count - 1, Math.max(0, Math.floor(time)));
  const shown = hovered ?? now;

  const read = ({ currentTarget, clientX }: MouseEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return secondAt(width > 0 ? (clientX - left) / width : 0, count);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onPlay(now);
      return;
    }
    const second = secondOfKey(event.key, now, count);
    if (second === null) return;
    event.preventDefault();
    onPlay(second);
  };
  return (
    <div className="retention__plot">
      <div className="retention__ys" aria-hidden="true">
        {[...TICKS].reverse().map((tick) => (
          <span key={tick}>{`${tick}%`}</span>
        ))}
      </div>
      <div
        className="retention__area"
        role="slider"
        tabIndex={0}
        aria-label={t("Position in the video, on its retention curve")}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={now}
        aria-valuetext={sayPlace(now, percents, band, spokenTime)}
        onKeyDown={press}
        onClick={(event) => onPlay(read(event))}
        onMouseMove={(event) => setHovered(read(event))}
        onMouseLeave={() => setHovered(null)}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
          {TICKS.map((tick) => (
            <path key={tick} className={tick ? "ch-grid" : "ch-base"} d={`M0 ${100 - tick}H100`} />
          ))}
          {moments.map((moment) => (
            <rect
              key={`${moment.kind} ${moment.start}`}
              className={`retention__moment retention__moment--${moment.kind}`}
              x={leftOf(moment.start, count)}
              width={Math.max(0.3, leftOf(moment.end, count) - leftOf(moment.start, count))}
              y="0"
              height="100"
            />
          ))}
          {area !== "" && <path className="retention__band" d={area} />}
          <path className="ch-line retention__line" d={path} />
        </svg>
        <span className="retention__now" style={{ left: `${leftOf(time, count)}%` }} />
        {hovered !== null && (
          <span className="retention__hair" style={{ left: `${leftOf(hovered, count)}%` }} />
        )}
      </div>
      <p className="retention__said" aria-hidden="true">
        {sayPlace(shown, percents, band, clock)}
      </p>
    </div>
  );
}

/** A place in words: its time, how many watched it, and what is usual there. */
export function sayPlace(
  second: number,
  percents: readonly number[],
  band: RetentionProps["band"],
  write: (second: number) => string,
): string {
  const said = t("{time}: watched by {percent}% of the learners", {
    time: write(second),
    percent: Math.round(percents[second] ?? 0),
  });
  if (!band) return said;
  const [low, high] = usualAt(band, second, percents.length);
  const usual = t("usual are {low} to {high}%", { low: Math.round(low), high: Math.round(high) });
  return `${said}, ${usual}`;
}

import { type PointerEvent, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { followDrag } from "../../shared/drag";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Sound } from "./api";
import type { Cue, Cues } from "./cues";
import { formatTime } from "./time";
import type { PlayedVideo } from "../../shared/video/playedVideo";
import type { Warning } from "./warnings";

type Props = {
  sound: Sound;
  video: PlayedVideo;
  shown: Cues;
  current: Cue | undefined;
  warnings: ReadonlyMap<string, readonly Warning[]>;
  isLocked: boolean;
  onTime: (id: string, edge: "begin" | "end", seconds: number) => void;
  onChoose: (id: string) => void;
};

/** Seconds that the strip can show. */
const SPANS = [5, 10, 20, 40, 80] as const;
/** Pixels within which an edge snaps to the begin or end of a pause. */
const SNAP_PIXELS = 8;
const WIDTH = 1000;

/** The sound around the present second, with the cues on it. What is dragged here has a field in the list. */
export function SoundStrip(props: Props) {
  const { sound, video, shown, current, warnings, isLocked, onTime, onChoose } = props;
  const [step, setStep] = useState(2);
  const box = useRef<HTMLDivElement>(null);
  const { time } = useSyncExternalStore(video.subscribe, video.state);
  const span = SPANS[step] ?? 20;
  // Turned like pages, so that nothing moves while one aims at an edge.
  const page = Math.floor(time / (span * 0.8));
  const from = Math.max(0, page * span * 0.8 - span * 0.1);
  const to = from + span;
  const place = (second: number): number => ((second - from) / span) * 100;

  const path = useMemo(() => drawPeaks(sound, from, to), [sound, from, to]);
  const seen = shown.filter(({ begin, end }) => end > from && begin < to);
  const marks: number[] = [];
  const gap = span / 4;
  // The mark at the very edge would be cut off.
  for (let at = Math.ceil((from + gap / 4) / gap) * gap; at < to - gap / 4; at += gap)
    marks.push(at);

  const secondAt = (clientX: number): number => {
    const area = box.current?.getBoundingClientRect();
    return area ? from + ((clientX - area.left) / Math.max(1, area.width)) * span : from;
  };
  const snapped = (second: number): number => {
    const width = Math.max(1, box.current?.clientWidth ?? WIDTH);
    const reach = (SNAP_PIXELS / width) * span;
    let best = second;
    let least = reach;
    for (const edges of sound.silences)
      for (const edge of edges)
        if (Math.abs(edge - second) < least) [best, least] = [edge, Math.abs(edge - second)];
    return best;
  };
  const drag = (event: PointerEvent<HTMLElement>, cue: Cue, edge: "begin" | "end"): void => {
    if (isLocked || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(cue.id);
    const before = cue[edge];
    followDrag(event.currentTarget, event, {
      onMove: ({ clientX }) => onTime(cue.id, edge, snapped(secondAt(clientX))),
      onEnd: (isDropped) => {
        if (!isDropped) onTime(cue.id, edge, before);
      },
    });
  };

  return (
    <div className="capwave mt-3">
      <div
        className="wave"
        ref={box}
        role="group"
        aria-label={t("Sound from {begin} to {end}", {
          begin: formatTime(from),
          end: formatTime(to),
        })}
        onPointerDown={({ clientX, button }) => {
          if (button === 0) video.seek(secondAt(clientX));
        }}
      >
        {marks.map((at) => (
          <span key={at} className="wave__t" style={{ left: `${place(at)}%` }}>
            {formatTime(at).replace(/\.\d+$/, "")}
          </span>
        ))}
        <svg viewBox={`0 0 ${WIDTH} 100`} preserveAspectRatio="none" aria-hidden="true">
          <path d={path} />
        </svg>
        {seen.map((cue) => (
          <span
            key={cue.id}
            className={[
              "wave__cue",
              cue.id === current?.id ? "wave__cue--on" : "",
              warnings.get(cue.id)?.some(({ kind }) => kind === "fast") ? "wave__cue--fast" : "",
            ].join(" ")}
            style={{
              left: `${place(cue.begin)}%`,
              width: `${((cue.end - cue.begin) / span) * 100}%`,
            }}
            aria-hidden="true"
          >
            <span className="wave__edge" onPointerDown={(event) => drag(event, cue, "begin")} />
            <span className="wave__text">{cue.text}</span>
            <span
              className="wave__edge wave__edge--end"
              onPointerDown={(event) => drag(event, cue, "end")}
            />
          </span>
        ))}
        <span className="wave__now" style={{ left: `${place(time)}%` }} />
      </div>
      <div className="row row--between mt-2">
        <p className="small faint">{t("Drag an edge to move it. Edges snap to pauses.")}</p>
        <span className="row wave__zoom">
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Show more time")}
            disabled={step === SPANS.length - 1}
            onClick={() => setStep(step + 1)}
          >
            <Icon name="zoom-out" />
          </button>
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Show less time")}
            disabled={step === 0}
            onClick={() => setStep(step - 1)}
          >
            <Icon name="zoom-in" />
          </button>
        </span>
      </div>
    </div>
  );
}

/** The loudness between two seconds as lines of an SVG path, one for every few pixels. */
function drawPeaks({ rate, peaks }: Sound, from: number, to: number): string {
  const lines = 240;
  const parts: string[] = [];
  for (let at = 0; at < lines; at += 1) {
    const begin = Math.floor((from + ((to - from) * at) / lines) * rate);
    const end = Math.max(begin + 1, Math.floor((from + ((to - from) * (at + 1)) / lines) * rate));
    let peak = 0;
    for (let one = begin; one < end && one < peaks.length; one += 1)
      peak = Math.max(peak, peaks[one] ?? 0);
    const half = Math.max(1, (peak / 255) * 48);
    const x = Math.round(((at + 0.5) / lines) * WIDTH);
    parts.push(`M${x} ${(50 - half).toFixed(1)}V${(50 + half).toFixed(1)}`);
  }
  return parts.join("");
}

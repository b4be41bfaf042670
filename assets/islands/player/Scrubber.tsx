import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useRef,
  useState,
} from "react";

import { spokenTime } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { PlayerProps } from "./api";
import type { Playback } from "./engine/playback";
import type { Pair } from "./engine/watched";
import { Preview } from "./onDemand";
import { percent } from "./percent";
import { usePlayback } from "./usePlayback";

const STEP = 5; // seconds of an arrow key
const LEAP = 60; // seconds of Page Up and Page Down

type Chapter = PlayerProps["chapters"][number];
type Props = {
  playback: Playback;
  chapters: Chapter[];
  /** The address of its pictures, or null. */
  storyboard: string | null;
};

type Mark = [second: number, title: string, kind?: "note" | "moment"];

/** The questions, and the user's notes and moments, at seconds of the video; the page of the lesson has them. */
function readMarks(): Mark[] {
  const places = document.querySelectorAll<HTMLElement>("[data-marks]");
  return [...places].flatMap((place) => JSON.parse(place.dataset.marks ?? "[]") as Mark[]);
}

function useMarks(): Mark[] {
  const [marks, setMarks] = useState(readMarks);
  useEffect(() => {
    const read = (): void => setMarks(readMarks());
    document.addEventListener("study:marks", read);
    return () => document.removeEventListener("study:marks", read);
  }, []);
  return marks;
}

export function chapterAt(chapters: readonly Chapter[], time: number): Chapter | undefined {
  return chapters.findLast(({ start }) => start <= time);
}

/** The timeline: chapters, the loaded range, thumbnails, keyboard support. */
export function Scrubber({ playback, chapters, storyboard }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const now = usePlayback(playback, (state) => state.time);
  const duration = usePlayback(playback, (state) => state.duration);
  const buffered = usePlayback(playback, (state) => state.buffered);
  const [dragged, setDragged] = useState<number | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const marks = useMarks();
  const time = dragged ?? now;

  const timeAt = ({ clientX }: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return 0;
    return Math.min(1, Math.max(0, (clientX - box.left) / box.width)) * duration;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const targets: Record<string, number> = {
      ArrowLeft: time - STEP,
      ArrowDown: time - STEP,
      ArrowRight: time + STEP,
      ArrowUp: time + STEP,
      PageDown: time - LEAP,
      PageUp: time + LEAP,
      Home: 0,
      End: duration,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    playback.seek(target);
  };

  const number = chapters.findLastIndex(({ start }) => start <= time) + 1;
  const chapter = chapterAt(chapters, time);
  const whole = Math.round(duration);
  const spoken = t("{now} of {all}", { now: spokenTime(time), all: spokenTime(whole) });
  const spokenChapter = chapter
    ? ", " + t("chapter {number}, {title}", { number, title: chapter.title })
    : "";
  const shown = dragged ?? hovered;

  return (
    <div
      className="scrub"
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label={t("Seek")}
      aria-valuemin={0}
      aria-valuemax={whole}
      aria-valuenow={Math.round(time)}
      aria-valuetext={spoken + spokenChapter}
      data-holds={dragged === null ? undefined : ""}
      onKeyDown={onKeyDown}
      onPointerEnter={() => void Preview.fetch()}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(timeAt(event));
      }}
      onPointerMove={(event) => {
        if (dragged !== null) setDragged(timeAt(event));
        else if (event.pointerType === "mouse") setHovered(timeAt(event));
      }}
      onPointerUp={(event) => {
        if (dragged === null) return;
        playback.seek(timeAt(event));
        setDragged(null);
      }}
      onPointerCancel={() => setDragged(null)}
      onPointerLeave={() => setHovered(null)}
    >
      <Track chapters={chapters} duration={duration} time={time} buffered={buffered} />
      {marks.map(([second, title, kind], index) => (
        <i
          className={kind ? "scrub__note" : "scrub__mark"}
          key={`${index} ${second} ${title}`}
          style={{ left: percent(second, duration) }}
        />
      ))}
      <span className="scrub__knob" style={{ left: percent(time, duration) }} />
      {shown !== null && (
        <Preview
          time={shown}
          duration={duration}
          storyboard={storyboard}
          title={markNear(marks, shown, duration) ?? chapterAt(chapters, shown)?.title}
        />
      )}
    </div>
  );
}

/** The question or note whose mark is where the pointer is. */
function markNear(marks: Mark[], time: number, duration: number): string | undefined {
  // A moment may have no name.
  return marks.find(([second, title]) => title && Math.abs(second - time) < duration / 100)?.[1];
}

type TrackProps = { chapters: Chapter[]; duration: number; time: number; buffered: Pair[] };

function Track({ chapters, duration, time, buffered }: TrackProps) {
  // Show the loaded range around the playhead only, not separate ranges elsewhere.
  const loaded = buffered.find(([from, to]) => from <= time + 0.5 && to >= time)?.[1] ?? time;
  const starts = chapters.length > 1 ? chapters.map(({ start }) => start) : [0];
  const parts = starts.map((start, index) => {
    const from = index === 0 ? 0 : start;
    return { from, length: Math.max(0.001, (starts[index + 1] ?? duration) - from) };
  });
  const columns = parts.map(({ length }) => `${length}fr`).join(" ");
  return (
    <span className="scrub__track" style={{ gridTemplateColumns: columns }}>
      {parts.map(({ from, length }) => (
        <i
          key={from}
          style={
            {
              "--f": percent(Math.max(0, time - from), length),
              "--l": percent(Math.max(0, loaded - from), length),
            } as CSSProperties
          }
        />
      ))}
    </span>
  );
}

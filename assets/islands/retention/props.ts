import type { Sources } from "../../shared/video/stream";

export type MomentKind = "spike" | "dip" | "top";

/** Seconds; `size`: by how many points it stands out. */
export type Moment = { kind: MomentKind; start: number; end: number; peak: number; size: number };

export type RetentionProps = {
  title: string;
  learners: number;
  /** For each second of the video, the percent of the learners who watched it. */
  percents: number[];
  /** At each percent of the length, between which percents the instructor's other videos lie; null: not known. */
  band: [low: number, high: number][] | null;
  /** In the order of the video. */
  moments: Moment[];
  sources: Sources | null;
  poster: string | null;
  captions: { language: string; label: string; url: string }[];
};

import type { Sources } from "../../shared/video/stream";
import type { Chapter } from "./api";

export type CaptionsProps = {
  /** The uid of the user. */
  author: string;
  /** The uid of the lesson. */
  lesson: string;
  /** The uid of the video. */
  video: string;
  title: string;
  /** Seconds. */
  duration: number;
  sources: Sources | null;
  poster: string | null;
  has_audio: boolean;
  /** Whether a model can write captions of this video, or translate them. */
  can_transcribe: boolean;
  can_translate: boolean;
  is_locked: boolean;
  /** Why the captions, and the chapters, can only be read; "" if they can be changed. */
  lock_reason: string;
  chapters_lock_reason: string;
  /** Chapters of a published course are changed by its next version. */
  are_chapters_locked: boolean;
  /** The language that is shown first. */
  language: string;
  languages: { tag: string; name: string; has_captions: boolean }[];
  encodings: Record<string, string>;
  /** The address of a file, with LANGUAGE in it. */
  export: string;
  chapters: Chapter[];
};

/** What a learner did in a lesson on this device; sealed like the lesson itself. */
import type { components } from "../../shared/api/schema.gen";
import type { Paper } from "../../shared/questions/state";
import type { Pair } from "../watchedPairs";

type Schemas = components["schemas"];

/** Watched seconds that are in no change yet. Times in ISO 8601. */
export type UnsentWatching = {
  beganAt: string;
  madeAt: string;
  position: number;
  watched: Pair[];
};

/** An attempt that was opened on this device. Times in milliseconds since 1970, by the corrected clock. */
export type LocalAttempt = {
  paper: Schemas["AttemptOut"];
  openedAt: number;
  /** Seconds that it has taken until `seenAt`. */
  spent: number;
  seenAt: number;
  given: Paper;
  /** When it was submitted; null while it is open. */
  submittedAt: number | null;
  /** The id of the change that submits it, chosen when it is opened: however often it is made, the server takes it once. */
  change: string;
  /** Whether that change is in the outbox. */
  isQueued: boolean;
};

export type LocalLesson = {
  /** Milliseconds since 1970; 0: never. */
  openedAt: number;
  isCompleted: boolean;
  position: number;
  /** ISO 8601; empty: never. */
  positionAt: string;
  watched: Pair[];
  unsentWatching: UnsentWatching | null;
  /** The notes that were written here, merged with those that were stored. */
  notes: Record<string, Schemas["NoteOut"]>;
  /** Notes that changed since they were last made into a change. */
  unsentNotes: string[];
  attempt: LocalAttempt | null;
};

export const untouched: LocalLesson = {
  openedAt: 0,
  isCompleted: false,
  position: 0,
  positionAt: "",
  watched: [],
  unsentWatching: null,
  notes: {},
  unsentNotes: [],
  attempt: null,
};

/** Answers stored on this device until the attempt is submitted, so that a reload or crash loses nothing. */
import { type Answer, empty, type Paper } from "../../shared/questions/state";
import type { Attempt } from "./api";

type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (attempt: string): string => `study.quiz.${attempt}`;

/** Returns whether it could be stored. */
export function saveDraft(storage: DraftStorage, attempt: string, paper: Paper): boolean {
  try {
    storage.setItem(keyOf(attempt), JSON.stringify(paper));
    return true;
  } catch {
    return false; // storage is full or blocked: the page still has the answers
  }
}

export function deleteDraft(storage: DraftStorage, attempt: string): void {
  try {
    storage.removeItem(keyOf(attempt));
  } catch {
    // Storage is blocked: there is nothing to delete.
  }
}

/** The draft of this attempt; an empty one if nothing valid is stored. */
export function readDraft(storage: DraftStorage, attempt: string): Paper {
  try {
    const value: unknown = JSON.parse(storage.getItem(keyOf(attempt)) ?? "null");
    return isPaper(value) ? value : empty;
  } catch {
    return empty;
  }
}

/**
 * What an attempt begins with on this device: its draft. Without one, a continued attempt begins with the answers that
 * were submitted, and with what was entered here into the attempt that it continues, also after its time was over.
 */
export function beginDraft(storage: DraftStorage, attempt: Attempt): Paper {
  const own = readDraft(storage, attempt.uid);
  if (own !== empty && Object.keys(own.answers).length + own.flags.length > 0) return own;
  if (attempt.given) return attempt.given;
  const former = attempt.continues ? readDraft(storage, attempt.continues) : empty;
  return { flags: former.flags, answers: { ...attempt.answers, ...former.answers } };
}

function isPaper(value: unknown): value is Paper {
  if (typeof value !== "object" || value === null) return false;
  const { answers, flags } = value as Partial<Paper>;
  return (
    Array.isArray(flags) &&
    flags.every((flag) => typeof flag === "string") &&
    typeof answers === "object" &&
    Object.values(answers).every(isAnswer)
  );
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Answers on this device until they are handed in: a reload, a crash or a dead battery loses nothing. */
import { type Answer, empty, type Paper } from "./state";

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (attempt: string): string => `study.quiz.${attempt}`;

export function keep(storage: Shelf, attempt: string, paper: Paper): boolean {
  try {
    storage.setItem(keyOf(attempt), JSON.stringify(paper));
    return true;
  } catch {
    return false; // no room, or storage is refused: the page still has it
  }
}

export function forget(storage: Shelf, attempt: string): void {
  try {
    storage.removeItem(keyOf(attempt));
  } catch {
    // Storage is refused: then there is nothing to forget.
  }
}

/** What was kept of this try; anything that is not in our shape counts as nothing. */
export function kept(storage: Shelf, attempt: string): Paper {
  try {
    const value: unknown = JSON.parse(storage.getItem(keyOf(attempt)) ?? "null");
    return isPaper(value) ? value : empty;
  } catch {
    return empty;
  }
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

/** Counts what was done in lessons on this device and is in no change yet. */
import type { LocalLesson } from "../shell/localLesson";
import type { Account } from "../types";
import { listLocal } from "../values";
import type { LeftHere } from "./store";

export async function countLeft(account: Account): Promise<LeftHere> {
  const left: LeftHere = { attempts: 0, changes: 0 };
  for (const one of (await listLocal<Partial<LocalLesson>>(account)).values()) {
    const { attempt, unsentNotes = [], unsentWatching } = one;
    if (attempt?.submittedAt === null) left.attempts += 1;
    const isLeft = attempt?.isQueued === false && attempt.submittedAt !== null;
    left.changes += unsentNotes.length + (unsentWatching ? 1 : 0) + (isLeft ? 1 : 0);
  }
  return left;
}

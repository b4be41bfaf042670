/**
 * Attempts at quizzes on this device. The time is measured here: while a tab has the attempt by its monotonic clock,
 * while it is closed by the corrected clock. The server checks it against what it knows.
 */
import { type Paper, toSend } from "../../shared/questions/state";
import type { Change } from "../types";
import type { LocalAttempt } from "./localLesson";

/** A longer step of the device's clock is no sleep of the device but a changed clock. */
const LONGEST_SLEEP_SECONDS = 12 * 3600;
/** Steps by which both clocks may differ without a sleep. */
const DRIFT_SECONDS = 2;
/** After its end, an open page has this long to submit what was typed last. */
export const SUBMIT_SECONDS = 10;

export function openAttempt(
  paper: LocalAttempt["paper"],
  now: number,
  change: string,
): LocalAttempt {
  const given: Paper = { answers: paper.answers, flags: [] };
  const time = { openedAt: now, spent: 0, seenAt: now, submittedAt: null };
  return { paper, given, ...time, change, isQueued: false };
}

/** Both clocks at a moment: the monotonic one, which stops while some devices sleep, and that of the device. */
export type Clocks = { monotonic: number; date: number };

export const readClocks = (): Clocks => ({ monotonic: performance.now(), date: Date.now() });

/** Seconds between two moments of one page, with those in which the device slept, whatever its clock was set to. */
export function secondsBetween(before: Clocks, now: Clocks): number {
  const monotonic = (now.monotonic - before.monotonic) / 1000;
  const date = (now.date - before.date) / 1000;
  const slept = date - monotonic;
  return slept > DRIFT_SECONDS && slept <= LONGEST_SLEEP_SECONDS ? date : Math.max(0, monotonic);
}

/** The attempt after some more seconds of an open page. */
export function spend(attempt: LocalAttempt, seconds: number, now: number): LocalAttempt {
  return { ...attempt, spent: attempt.spent + seconds, seenAt: Math.max(now, attempt.seenAt) };
}

/** The attempt after no page had it open: that time counts, too. */
export function catchUp(attempt: LocalAttempt, now: number): LocalAttempt {
  return spend(attempt, Math.max(0, now - attempt.seenAt) / 1000, now);
}

/** Seconds until its end; null without a limit. */
export function secondsLeft({ paper, spent }: LocalAttempt): number | null {
  return paper.time_limit > 0 ? paper.time_limit - spent : null;
}

/** Whether its time is over, also for a page that would submit it now. */
export function isOverdue(attempt: LocalAttempt): boolean {
  const left = secondsLeft(attempt);
  return attempt.submittedAt === null && left !== null && left <= -SUBMIT_SECONDS;
}

/** The attempt as it is submitted: no later than at its end, as no page takes answers after it. */
export function submit(attempt: LocalAttempt): LocalAttempt {
  const { paper, spent, openedAt } = attempt;
  const seconds = paper.time_limit > 0 ? Math.min(spent, paper.time_limit) : spent;
  return { ...attempt, spent: seconds, submittedAt: Math.round(openedAt + seconds * 1000) };
}

/** A submitted attempt as a change. What can't be read counts as unanswered. */
export function changeOfAttempt(lesson: string, attempt: LocalAttempt): Change {
  const { paper, openedAt, spent, given, submittedAt, change } = attempt;
  return {
    id: change,
    kind: "attempt",
    lesson,
    made_at: new Date(submittedAt ?? openedAt).toISOString(),
    attempt: {
      paper: paper.uid,
      opened_at: new Date(openedAt).toISOString(),
      seconds: spent,
      answers: toSend(paper.questions, given.answers),
    },
  };
}

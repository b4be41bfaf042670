/** Turns what pages have left into changes: watched seconds, notes, and attempts whose time is over. */
import { newUid } from "../../shared/newUid";
import type { Change } from "../types";
import { catchUp, changeOfAttempt, isOverdue, submit } from "./attempts";
import type { LocalAttempt, LocalLesson } from "./localLesson";
import type { Store } from "./store";
import { changesOfWatching } from "./watching";

/** Run the function while no other tab runs one, where the browser can tell. */
async function exclusively(work: () => Promise<void>): Promise<void> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks) await locks.request("study-offline-settle", work);
  else await work();
}

/** Make changes of all that any lesson has left. */
export async function settleAll(store: Store): Promise<void> {
  await exclusively(async () => {
    for (const lesson of await store.listLocal()) await settle(store, lesson);
  });
}

/** Make changes of all that one lesson has left. */
export async function settleLesson(store: Store, lesson: string): Promise<void> {
  await exclusively(() => settle(store, lesson));
}

/**
 * The changes are stored before they are taken from the lesson: a crash between both repeats them, which the server's
 * rules of union and merging make harmless.
 */
async function settle(store: Store, lesson: string): Promise<void> {
  const known = await store.readLocal(lesson);
  const changes = [
    ...changesOfWatching(lesson, known.unsentWatching),
    ...changesOfNotes(lesson, known),
  ];
  const { attempt } = known;
  const isLeft = attempt?.isQueued === false && attempt.submittedAt !== null;
  const isDue = isLeft || (attempt !== null && isOverdue(catchUp(attempt, store.now())));
  if (changes.length === 0 && !isDue) return;
  const title = await titleOf(store, lesson);
  for (const one of changes) await store.addChange(one, title);
  if (changes.length > 0) await store.changeLocal(lesson, (now) => withoutSettled(now, known));
  if (isDue) await submitAttempt(store, lesson, title, (open) => catchUp(open, store.now()));
}

/** The title of a lesson, also of one that can't be opened any more; empty if this device has forgotten it. */
async function titleOf(store: Store, lesson: string): Promise<string> {
  return (await store.listLessons()).find(({ uid }) => uid === lesson)?.title ?? "";
}

function changesOfNotes(lesson: string, { notes, unsentNotes }: LocalLesson): Change[] {
  return unsentNotes.flatMap((uid) => {
    const note = notes[uid];
    if (!note) return [];
    const { kind, second, edits, replaced, updated_at: at } = note;
    const written = { uid, kind, second, edits, replaced };
    return { id: newUid(), kind: "note" as const, lesson, made_at: at, note: written };
  });
}

/** The state without what `settled` had; what came meanwhile stays. */
function withoutSettled(now: LocalLesson, settled: LocalLesson): LocalLesson {
  const isSame = now.unsentWatching?.madeAt === settled.unsentWatching?.madeAt;
  return {
    ...now,
    unsentWatching: isSame ? null : now.unsentWatching,
    unsentNotes: now.unsentNotes.filter(
      (uid) => now.notes[uid]?.updated_at !== settled.notes[uid]?.updated_at,
    ),
  };
}

/** With what was entered last, if its page was left before that was sealed (islands/quiz/draft.ts). */
function withDraft(attempt: LocalAttempt): LocalAttempt {
  const key = `study.quiz.${attempt.paper.uid}`;
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? "null") as LocalAttempt["given"] | null;
    localStorage.removeItem(key);
    return draft ? { ...attempt, given: draft } : attempt;
  } catch {
    return attempt; // storage is blocked
  }
}

/**
 * Submit the open attempt of a lesson as it is, and put it into the outbox: repeated after a crash, it is the same change.
 * @param finish what is done to the open attempt before, such as counting its last seconds
 */
export async function submitAttempt(
  store: Store,
  lesson: string,
  title: string,
  finish: (attempt: LocalAttempt) => LocalAttempt = (attempt) => attempt,
): Promise<LocalLesson> {
  const local = await store.changeLocal(lesson, (known) => {
    const { attempt } = known;
    if (attempt?.submittedAt !== null) return known;
    return { ...known, attempt: submit(finish(withDraft(attempt))) };
  });
  const { attempt } = local;
  if (!attempt || attempt.isQueued) return local;
  await store.addChange(changeOfAttempt(lesson, attempt), title, attempt.paper.questions);
  return store.changeLocal(lesson, (known) =>
    known.attempt ? { ...known, attempt: { ...known.attempt, isQueued: true } } : known,
  );
}

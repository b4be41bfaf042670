/** Quizzes without a connection: the sealed paper becomes an attempt that is kept here and marked by the server later. */
import type { components } from "../../../shared/api/schema.gen";
import { newUid } from "../../../shared/newUid";
import type { Paper } from "../../../shared/questions/state";
import type { OfflineQuiz } from "../../../shared/questions/types";
import type { LessonPackage } from "../../types";
import { startClock, storeTime } from "../attemptClock";
import { isOverdue, openAttempt, secondsLeft } from "../attempts";
import type { LocalAttempt, LocalLesson } from "../localLesson";
import { submitAttempt } from "../settle";
import type { Store } from "../store";
import type { Call, Routes } from "./routes";
import { refuse, respond } from "./responses";

type Schemas = components["schemas"];
type Attempt = Schemas["AttemptOut"];

export type QuizHere = Schemas["QuizOut"] & { offline: OfflineQuiz };

export const quizRoutes: Routes = {
  "GET /api/v1/lessons/{uid}/quiz/": getQuiz,
  "POST /api/v1/lessons/{uid}/attempts/": openHere,
  "PUT /offline/attempts/{uid}/": keepAnswers,
  "POST /api/v1/attempts/{uid}/submit/": submitHere,
};

async function getQuiz({ store, uid }: Call): Promise<Response | null> {
  const pack = await store.readPackage(uid);
  return pack?.quiz ? respond(await quizHere(store, pack, pack.quiz)) : null;
}

/** The quiz as it is on this device by now. An attempt whose time is over is submitted. */
export async function quizHere(
  store: Store,
  pack: LessonPackage,
  quiz: Schemas["QuizOut"],
): Promise<QuizHere> {
  const { uid } = pack;
  const known = attemptHere(await store.readLocal(uid), pack);
  if (known?.submittedAt === null) await startClock(store, uid);
  let local = await storeTime(store, uid);
  if (local.attempt && isOverdue(local.attempt))
    local = await submitAttempt(store, uid, pack.title);
  const attempt = attemptHere(local, pack);
  const isKept = attempt !== null && attempt.submittedAt !== null;
  const elapsed = (store.now() - Date.parse(pack.now)) / 1000;
  return {
    ...quiz,
    attempt: attempt ? attemptOut(attempt) : attemptOnline(quiz.attempt, store.now()),
    may_attempt: pack.paper !== null && attempt === null,
    attempts_left:
      quiz.attempts_left === null ? null : Math.max(0, quiz.attempts_left - (isKept ? 1 : 0)),
    wait: Math.max(0, Math.ceil(quiz.wait - elapsed)),
    offline: {
      kept_at: isKept ? new Date(attempt.submittedAt ?? 0).toISOString() : null,
      refusal: isKept || attempt ? null : pack.paper_refusal,
      expires_at: pack.expires_at,
    },
  };
}

/** The attempt of this device, unless the server has marked it since: then the package has another paper, or none. */
function attemptHere({ attempt }: LocalLesson, { paper, now }: LessonPackage): LocalAttempt | null {
  if (!attempt) return null;
  const isOld = paper?.uid !== attempt.paper.uid && attempt.submittedAt !== null;
  return isOld && Date.parse(now) > (attempt.submittedAt ?? 0) ? null : attempt;
}

/** An attempt that was opened with a connection goes on: its time runs by the server's clock. */
function attemptOnline(attempt: Attempt | null, now: number): Attempt | null {
  if (!attempt || attempt.submitted_at || attempt.time_limit === 0) return attempt;
  const end = Date.parse(attempt.started_at) + attempt.time_limit * 1000;
  return { ...attempt, seconds_left: Math.max(0, Math.floor((end - now) / 1000)) };
}

function attemptOut(attempt: LocalAttempt): Attempt & { given: Paper } {
  const { paper, openedAt, submittedAt, given } = attempt;
  const left = secondsLeft(attempt);
  const isOpen = submittedAt === null;
  return {
    ...paper,
    started_at: new Date(openedAt).toISOString(),
    submitted_at: isOpen ? null : new Date(submittedAt).toISOString(),
    seconds_left: isOpen && left !== null ? Math.max(0, Math.ceil(left)) : null,
    questions: isOpen ? paper.questions : [],
    result: null,
    given,
  };
}

async function openHere({ store, uid }: Call): Promise<Response | null> {
  const pack = await store.readPackage(uid);
  if (!pack?.quiz) return null;
  const { paper, paper_refusal: refusal } = pack;
  if (!paper) return refuse("QUIZ_NO_ATTEMPTS_LEFT", 409, {}, refusal ?? undefined);
  const quiz = await quizHere(store, pack, pack.quiz);
  if (quiz.offline.kept_at !== null) return refuse("QUIZ_NO_ATTEMPTS_LEFT", 409);
  if (quiz.wait > 0) return refuse("QUIZ_ATTEMPT_TOO_SOON", 409, { wait: quiz.wait });
  const change = newUid();
  await store.changeLocal(uid, (known) =>
    attemptHere(known, pack)
      ? known
      : { ...known, attempt: openAttempt(paper, store.now(), change) },
  );
  await startClock(store, uid);
  const { attempt } = await store.readLocal(uid);
  return attempt ? respond(attemptOut(attempt), 201) : null;
}

/** Attempt → its lesson. */
const lessons = new Map<string, string>();

/** The lesson that has this attempt; null if it is none of this device. */
async function lessonOf(store: Store, attempt: string): Promise<string | null> {
  const known = lessons.get(attempt);
  if (known !== undefined) return known;
  for (const lesson of await store.listLocal()) {
    if ((await store.readLocal(lesson)).attempt?.paper.uid !== attempt) continue;
    lessons.set(attempt, lesson);
    return lesson;
  }
  return null;
}

/** Keep what is entered, with each letter. */
async function keepAnswers({ store, uid, body }: Call): Promise<Response | null> {
  const lesson = await lessonOf(store, uid);
  if (lesson === null) return null;
  await store.changeLocal(lesson, (known) =>
    known.attempt?.submittedAt === null
      ? { ...known, attempt: { ...known.attempt, given: body as Paper } }
      : known,
  );
  return respond(null);
}

async function submitHere({ store, uid, body }: Call): Promise<Response | null> {
  const lesson = await lessonOf(store, uid);
  if (lesson === null) return null;
  const { answers } = body as Schemas["SubmitAttemptInRequest"];
  await storeTime(store, lesson);
  const title = (await store.readPackage(lesson))?.title ?? "";
  const local = await submitAttempt(store, lesson, title, (open) =>
    isOverdue(open) ? open : { ...open, given: { ...open.given, answers } },
  );
  return local.attempt && respond({ ...attemptOut(local.attempt), progress: null });
}

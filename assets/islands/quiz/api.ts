/** API calls of the quiz. No correct answer reaches the browser before an attempt is submitted. */
import { queryOptions } from "@tanstack/react-query";

import { api, authenticatedApi, reach, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import type { Answers, Paper } from "../../shared/questions/state";
import type { OfflineQuiz } from "../../shared/questions/types";

export type QuizProps = components["schemas"]["QuizOut"] & {
  offline?: OfflineQuiz;
};
export type Attempt = components["schemas"]["AttemptOut"] & {
  /** What was entered, in an attempt that the page keeps without a connection. */
  given?: Paper;
};
/** A submitted attempt, with the progress of the course. */
export type Submitted = components["schemas"]["SubmittedAttempt"];
export type Question = components["schemas"]["QuestionOut"];
export type Result = components["schemas"]["AttemptResult"];
export type QuestionResult = components["schemas"]["QuestionResult"];

export const quizQuery = (props: QuizProps) =>
  queryOptions({
    queryKey: ["quiz", props.lesson_uid],
    queryFn: () => fetchQuiz(props.lesson_uid),
    initialData: props,
    // The page may come from the back/forward cache, so request its attempt again.
    staleTime: 0,
    refetchOnWindowFocus: false,
  });

export function fetchQuiz(uid: string): Promise<QuizProps> {
  return unwrap(api.GET("/api/v1/lessons/{uid}/quiz/", { params: { path: { uid } } }));
}

export function openAttempt(lesson: string): Promise<Attempt> {
  return unwrap(
    authenticatedApi.POST("/api/v1/lessons/{uid}/attempts/", { params: { path: { uid: lesson } } }),
  );
}

/** Keep what was entered, where the page keeps the attempt itself (assets/offline/shell). */
export async function keepAnswers(attempt: string, paper: Paper): Promise<boolean> {
  const body = JSON.stringify(paper);
  const address = new URL(`/offline/attempts/${attempt}/`, location.origin);
  const answer = reach(new Request(address, { method: "PUT", body }));
  return answer.then(
    ({ ok }) => ok,
    () => false,
  );
}

export function submitAttempt(attempt: string, answers: Answers): Promise<Submitted> {
  return unwrap(
    authenticatedApi.POST("/api/v1/attempts/{uid}/submit/", {
      params: { path: { uid: attempt } },
      body: { answers },
    }),
  );
}

/** The calls of the quiz. No answer reaches the browser before a try is handed in. */
import { queryOptions } from "@tanstack/react-query";

import { api, authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import type { Answers } from "./state";

export type QuizProps = components["schemas"]["QuizOut"];
export type Attempt = components["schemas"]["AttemptOut"];
/** What came of submitting, with what it changed in the course. */
export type Submitted = components["schemas"]["SubmittedAttempt"];
export type Question = components["schemas"]["QuestionOut"];
export type Result = components["schemas"]["AttemptResult"];
export type QuestionResult = components["schemas"]["QuestionResult"];

export const quizQuery = (props: QuizProps) =>
  queryOptions({
    queryKey: ["quiz", props.lesson_uid],
    queryFn: () => fetchQuiz(props.lesson_uid),
    initialData: props,
    // The page may have come from the browser's memory: what it says of the try is asked once more.
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

export function submitAttempt(attempt: string, answers: Answers): Promise<Submitted> {
  return unwrap(
    authenticatedApi.POST("/api/v1/attempts/{uid}/submit/", {
      params: { path: { uid: attempt } },
      body: { answers },
    }),
  );
}

/** API calls of practice. A rating that was not saved is kept on this device and sent again. */
import { queryOptions } from "@tanstack/react-query";

import { authenticatedApi, unwrap } from "../../shared/api/client";
import { toApiError } from "../../shared/api/errors";
import type { components } from "../../shared/api/schema.gen";

export type PracticeProps = components["schemas"]["PracticeOut"];
export type Card = components["schemas"]["PracticeCardOut"];
export type Answered = components["schemas"]["PracticeAnswered"];
export type Answer = components["schemas"]["AnswerInRequest"];
export type Rating = Answered["suggested"];
export type Reviewed = components["schemas"]["PracticeReviewed"];
type Review = components["schemas"]["PracticeReviewInRequest"];

/** A rating on its way; its key makes repeated sending harmless. */
export type Unsent = { card: string; review: Review };

const KEY = "study.practice.unsent";

export const practiceQuery = (props: PracticeProps) =>
  queryOptions({
    queryKey: ["practice", props.origin],
    queryFn: () =>
      unwrap(
        authenticatedApi.GET("/api/v1/practice/", { params: { query: { source: props.origin } } }),
      ),
    initialData: props,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

export function checkAnswer(uid: string, answer: Answer | null): Promise<Answered> {
  return unwrap(
    authenticatedApi.POST("/api/v1/practice/cards/{uid}/answer/", {
      params: { path: { uid } },
      body: { answer },
    }),
  );
}

/** Send a rating. It stays on this device until the server has it, or has refused it for good. */
export async function sendReview(unsent: Unsent): Promise<Reviewed> {
  keep(unsent);
  try {
    const saved = await unwrap(
      authenticatedApi.POST("/api/v1/practice/cards/{uid}/reviews/", {
        params: { path: { uid: unsent.card } },
        body: unsent.review,
      }),
    );
    forget(unsent);
    return saved;
  } catch (thrown) {
    const { status } = toApiError(thrown).problem;
    if (status >= 400 && status < 500 && ![401, 408, 429].includes(status)) forget(unsent);
    throw thrown;
  }
}

/** The rating that a closed page or a lost connection has left. */
export function readUnsent(): Unsent | null {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Unsent> | null;
    return typeof value?.card === "string" && typeof value.review === "object"
      ? (value as Unsent)
      : null;
  } catch {
    return null;
  }
}

function keep(unsent: Unsent): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(unsent));
  } catch {
    // Storage is full or blocked: the page still has the rating.
  }
}

function forget({ review }: Unsent): void {
  if (readUnsent()?.review.key === review.key) localStorage.removeItem(KEY);
}

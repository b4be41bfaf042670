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

/** By user: what one could not send is not sent as another who signs in on this device. */
const keyOf = (person: string): string => `study.practice.${person}`;

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
export async function sendReview(person: string, unsent: Unsent): Promise<Reviewed> {
  keep(person, unsent);
  try {
    const saved = await unwrap(
      authenticatedApi.POST("/api/v1/practice/cards/{uid}/reviews/", {
        params: { path: { uid: unsent.card } },
        body: unsent.review,
      }),
    );
    forget(person, unsent);
    return saved;
  } catch (thrown) {
    const { status } = toApiError(thrown).problem;
    if (status >= 400 && status < 500 && ![401, 408, 429].includes(status)) forget(person, unsent);
    throw thrown;
  }
}

/** The ratings that closed pages or a lost connection have left, the oldest first. */
export function readUnsent(person: string): Unsent[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(keyOf(person)) ?? "[]");
    return Array.isArray(value) ? (value as Partial<Unsent>[]).filter(isUnsent) : [];
  } catch {
    return [];
  }
}

const isUnsent = (value: Partial<Unsent> | null): value is Unsent =>
  typeof value?.card === "string" && typeof value.review?.key === "string";

function keep(person: string, unsent: Unsent): void {
  write(person, [...without(person, unsent), unsent]);
}

function forget(person: string, unsent: Unsent): void {
  write(person, without(person, unsent));
}

const without = (person: string, { review }: Unsent): Unsent[] =>
  readUnsent(person).filter((one) => one.review.key !== review.key);

function write(person: string, unsent: Unsent[]): void {
  try {
    if (unsent.length === 0) localStorage.removeItem(keyOf(person));
    else localStorage.setItem(keyOf(person), JSON.stringify(unsent));
  } catch {
    // Storage is full or blocked: the page still has the rating.
  }
}

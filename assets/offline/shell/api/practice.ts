/** Practice without a connection: the cards that were due, their solutions, and ratings that are sent later. */
import type { components } from "../../../shared/api/schema.gen";
import { markAnswer } from "../marking";
import type { OfflinePractice, Store } from "../store";
import type { Call, Routes } from "./routes";
import { refuse, respond } from "./responses";

type Schemas = components["schemas"];
type Practice = Schemas["PracticeOut"];

export const practiceRoutes: Routes = {
  "GET /api/v1/practice/": async ({ store }) => {
    const stored = await store.readPractice();
    return stored && respond(await practiceHere(store, stored));
  },
  "POST /api/v1/practice/cards/{uid}/answer/": checkAnswer,
  "POST /api/v1/practice/cards/{uid}/reviews/": review,
};

/** Rated on this page; ratings of earlier pages are in the outbox until the stored cards are newer. */
const rated = new Set<string>();

/** The cards that are left. */
export async function practiceHere(store: Store, { practice }: OfflinePractice): Promise<Practice> {
  const waiting = await store.listChanges();
  const done = new Set([
    ...rated,
    ...waiting.flatMap(({ change }) => (change.review ? [change.review.card] : [])),
  ]);
  const cards = practice.cards.filter(({ uid }) => !done.has(uid));
  const count = practice.cards.length - cards.length;
  return { ...practice, cards, left: cards.length, done_today: practice.done_today + count };
}

async function checkAnswer({ store, uid, body }: Call): Promise<Response | null> {
  const stored = await store.readPractice();
  const card = stored?.practice.cards.find((one) => one.uid === uid);
  const solution = stored?.solutions.find((one) => one.card === uid);
  if (!card?.question || !solution) return refuse("PRACTICE_CARD_NOT_FOUND", 404);
  const { answer } = body as Schemas["PracticeAnswerInRequest"];
  const result = markAnswer(card.question, answer ?? null, solution.result);
  const suggested = result.verdict === "right" ? 3 : 1;
  return respond({ result, suggested } satisfies Schemas["PracticeAnswered"]);
}

async function review({ store, uid, body }: Call): Promise<Response | null> {
  const stored = await store.readPractice();
  const card = stored?.practice.cards.find((one) => one.uid === uid);
  // Another page's rating that could not be sent yet: only the server knows whether there is such a card.
  if (!card) return null;
  const { key, turn, rating, answer } = body as Schemas["PracticeReviewInRequest"];
  const now = store.now();
  if (!rated.has(uid))
    await store.addChange(
      {
        id: key,
        kind: "review",
        lesson: null,
        made_at: new Date(now).toISOString(),
        review: { card: uid, turn, rating, answer: answer ?? null },
      },
      card.course,
    );
  rated.add(uid);
  const due = new Date(now + (card.intervals[rating - 1] ?? 0) * 1000).toISOString();
  return respond({ is_counted: true, due, turn: turn + 1 } satisfies Schemas["PracticeReviewed"]);
}

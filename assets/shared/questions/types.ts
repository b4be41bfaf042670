import type { components } from "../api/schema.gen";

/** What is asked; it reveals no answer. */
export type Question = components["schemas"]["QuestionOut"];
/** A question that was answered and marked. */
export type QuestionResult = components["schemas"]["QuestionResult"];

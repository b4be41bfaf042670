import type { components } from "../api/schema.gen";

/** What is asked; it reveals no answer. */
export type Question = components["schemas"]["QuestionOut"];
/** A field of a text with gaps. */
export type Gap = components["schemas"]["GapOut"];
/** A question that was answered and marked. */
export type QuestionResult = components["schemas"]["QuestionResult"];

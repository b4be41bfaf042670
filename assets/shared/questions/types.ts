import type { components } from "../api/schema.gen";

/** What is asked; it reveals no answer. */
export type Question = components["schemas"]["QuestionOut"];
/** A field of a text with gaps. */
export type Gap = components["schemas"]["GapOut"];
/** A question that was answered and marked. */
export type QuestionResult = components["schemas"]["QuestionResult"];
/** What counts without a connection (assets/offline/shell/api/quiz.ts). */
export type OfflineQuiz = {
  /** When the attempt of this device was submitted, ISO 8601; null if none was. */
  kept_at: string | null;
  /** Why no attempt can be taken here. */
  refusal: components["schemas"]["RefusalOut"] | null;
  /** Until when the quiz is on this device, ISO 8601. */
  expires_at: string;
};

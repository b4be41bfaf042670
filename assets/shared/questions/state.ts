/** The answers and flags of an open attempt, as pure functions. */
import type { components } from "../api/schema.gen";

type Question = components["schemas"]["QuestionOut"];

export type Answer = components["schemas"]["AnswerInRequest"];
/** By question uid. A question without an entry is unanswered. */
export type Answers = Record<string, Answer>;

export type Paper = {
  answers: Answers;
  /** The uids of flagged questions. */
  flags: string[];
};

export const empty: Paper = { answers: {}, flags: [] };

export type Action =
  | { type: "answer"; question: string; answer: Answer }
  | { type: "flag"; question: string }
  | { type: "load"; paper: Paper };

export function reduce(paper: Paper, action: Action): Paper {
  switch (action.type) {
    case "answer":
      return { ...paper, answers: { ...paper.answers, [action.question]: action.answer } };
    case "flag":
      return {
        ...paper,
        flags: paper.flags.includes(action.question)
          ? paper.flags.filter((uid) => uid !== action.question)
          : [...paper.flags, action.question],
      };
    case "load":
      return action.paper;
  }
}

/** Whether an answer has content. */
export function isAnswered(answer: Answer | undefined): boolean {
  if (!answer) return false;
  if (answer.value !== undefined) return true;
  if (answer.id) return true;
  if (answer.text !== undefined) return answer.text.trim() !== "";
  if (answer.ids) return answer.ids.length > 0;
  return Object.values(answer.pairs ?? {}).some((partner) => partner !== "");
}

export function countAnswered(questions: readonly Question[], answers: Answers): number {
  return Object.keys(toSend(questions, answers)).length;
}

/**
 * The answers to send: those with content, to these questions. Text that is not a number is left out for a numeric
 * question: its field shows the error, and the server would reject all answers.
 */
export function toSend(questions: readonly Question[], answers: Answers): Answers {
  const said: Answers = {};
  for (const { uid, kind } of questions) {
    const answer = answers[uid];
    if (!answer || !isAnswered(answer)) continue;
    if (kind === "numeric" && !isNumber(answer.text ?? "")) continue;
    said[uid] = answer;
  }
  return said;
}

/** The ids with one added, or removed if it was there. */
export function toggled(ids: readonly string[] | undefined, id: string): string[] {
  const chosen = ids ?? [];
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
}

/** A copy of the list with one item moved to another index. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const order = [...list];
  const [taken] = order.splice(from, 1);
  if (taken === undefined) return order;
  order.splice(Math.max(0, Math.min(order.length, to)), 0, taken);
  return order;
}

/** The ids of the steps in the order of the answer; as shown until one is moved. */
export function orderOf(question: Question, answer: Answer | undefined): string[] {
  const shown = question.options.map(({ id }) => id);
  const ids = answer?.ids ?? [];
  // A draft from before the quiz was changed has other steps: ignore it.
  return ids.length === shown.length && shown.every((id) => ids.includes(id)) ? ids : shown;
}

/** Whether a text is a number in one of the accepted notations, or empty. */
export function isNumber(text: string): boolean {
  const plain = text.replaceAll("−", "-").replace(/[\s'’]/g, "");
  if (plain === "") return true;
  return /^[+-]?(\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d{1,3})?$/i.test(plain);
}

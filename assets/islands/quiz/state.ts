/** What a learner has answered, marked and moved: pure, without React and without a network. */
import type { components } from "../../shared/api/schema.gen";

type Question = components["schemas"]["QuestionOut"];

export type Answer = components["schemas"]["AnswerInRequest"];
/** By question uid. A question without an entry is open. */
export type Answers = Record<string, Answer>;

export type Paper = {
  answers: Answers;
  /** Questions to come back to. */
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

/** Whether an answer says anything. */
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
 * What is sent: the answers that say something, to questions that are asked. A word where a number is asked
 * for is none: its field says so, and the others are not refused with it.
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

/** A choice of several, on or off. */
export function toggled(ids: readonly string[] | undefined, id: string): string[] {
  const chosen = ids ?? [];
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
}

/** The list with one place moved to another. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const order = [...list];
  const [taken] = order.splice(from, 1);
  if (taken === undefined) return order;
  order.splice(Math.max(0, Math.min(order.length, to)), 0, taken);
  return order;
}

/** The steps in the learner's order; as they were shown until one is moved. */
export function orderOf(question: Question, answer: Answer | undefined): string[] {
  const shown = question.options.map(({ id }) => id);
  const ids = answer?.ids ?? [];
  // Kept from a reload, while the quiz was changed: an order of other steps is none.
  return ids.length === shown.length && shown.every((id) => ids.includes(id)) ? ids : shown;
}

/** Whether a typed number is one, in any of the ways that people write it. */
export function isNumber(text: string): boolean {
  const plain = text.replaceAll("−", "-").replace(/[\s'’]/g, "");
  if (plain === "") return true;
  return /^[+-]?(\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d{1,3})?$/i.test(plain);
}

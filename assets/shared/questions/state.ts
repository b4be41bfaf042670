/** The answers and flags of an open attempt, as pure functions. */
import type { components } from "../api/schema.gen";
import { readNumber } from "./numbers";

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
  if (answer.gaps) return Object.values(answer.gaps).some((value) => value.trim() !== "");
  return Object.values(answer.pairs ?? {}).some((partner) => partner !== "");
}

export function countAnswered(questions: readonly Question[], answers: Answers): number {
  return Object.keys(toSend(questions, answers)).length;
}

/** Whether an answer can be sent: a number that cannot be read, or an essay that is too long, comes first. */
export function isReadable(question: Question, answer: Answer): boolean {
  const { kind, number_format: format, unit, gaps } = question;
  if (kind === "essay")
    return Array.from((answer.text ?? "").trim()).length <= (question.limit ?? Infinity);
  if (kind === "gaps") return gaps.every((gap) => isGapReadable(question, gap, answer));
  return kind !== "numeric" || readNumber(answer.text ?? "", format, unit) !== null;
}

/** Whether what is in a gap can be sent; an empty gap can. */
function isGapReadable(
  { number_format: format }: Question,
  { kind, number, unit }: Question["gaps"][number],
  answer: Answer,
): boolean {
  const value = answer.gaps?.[number] ?? "";
  return kind !== "numeric" || value.trim() === "" || readNumber(value, format, unit) !== null;
}

/** The answer without what cannot be sent: the other gaps of a text, and the beginning of an essay, still count. */
function readablePart(question: Question, answer: Answer): Answer | null {
  if (question.kind === "essay" && question.limit !== null)
    return {
      text: Array.from((answer.text ?? "").trim())
        .slice(0, question.limit)
        .join(""),
    };
  if (question.kind !== "gaps") return isReadable(question, answer) ? answer : null;
  const readable = question.gaps.filter((gap) => isGapReadable(question, gap, answer));
  // A draft from before the quiz was changed may have other gaps.
  const gaps = readable.map(({ number }) => [number, answer.gaps?.[number] ?? ""] as const);
  return { gaps: Object.fromEntries(gaps.filter(([, value]) => value.trim() !== "")) };
}

/**
 * The answers to send: those with content, to these questions. A number that cannot be read is left out: its field shows
 * the error, and the server would reject all answers.
 */
export function toSend(questions: readonly Question[], answers: Answers): Answers {
  const said: Answers = {};
  for (const question of questions) {
    const answer = answers[question.uid];
    const part = answer && isAnswered(answer) ? readablePart(question, answer) : null;
    if (part && isAnswered(part)) said[question.uid] = part;
  }
  return said;
}

/** The uids of the questions whose answer cannot be sent. */
export function unreadable(questions: readonly Question[], answers: Answers): string[] {
  return questions
    .filter((question) => {
      const answer = answers[question.uid];
      return answer && isAnswered(answer) && !isReadable(question, answer);
    })
    .map(({ uid }) => uid);
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

/**
 * Marks answers to practice cards whose solution is on this device. Typed answers that don't equal what is accepted may
 * still count on the server, which knows the rules of the question: they wait for its mark.
 */
import type { components } from "../../shared/api/schema.gen";
import { t } from "../../shared/i18n";
import { isAnswered } from "../../shared/questions/state";

type Question = components["schemas"]["QuestionOut"];
type Result = components["schemas"]["QuestionResult"];
type Line = Result["lines"][number];
type Answer = components["schemas"]["AnswerInRequest"];
type Verdict = Result["verdict"];

/** The solution with the answer in it. `solution` is the result of a card that was not answered. */
export function markAnswer(question: Question, answer: Answer | null, solution: Result): Result {
  if (!answer || !isAnswered(answer)) return { ...solution, verdict: "open", earned: "0" };
  const marked = mark(question, answer, solution);
  const isRight = marked.verdict === "right";
  return { ...solution, ...marked, earned: isRight ? String(question.points) : "0" };
}

type Marked = { verdict: Verdict; lines?: Line[]; given?: string };

function mark(question: Question, answer: Answer, solution: Result): Marked {
  switch (question.kind) {
    case "single":
    case "multiple":
      return markChoices(question, answer, solution.lines);
    case "truth": {
      const given = answer.value ? t("True") : t("False");
      return { verdict: given === solution.accepted ? "right" : "wrong", given };
    }
    case "ordering":
      return markOrder(question, answer, solution.lines);
    case "matching":
      return markPairs(question, answer, solution.lines);
    case "gaps":
      return markGaps(question, answer, solution.lines);
    case "numeric":
    case "text": {
      const given = answer.text ?? "";
      return { verdict: isAccepted(given, solution.accepted) ? "right" : "waiting", given };
    }
    default:
      return { verdict: "waiting", given: answer.text ?? "" };
  }
}

/** All right, some right, or none. */
function verdictOf(lines: readonly Line[], right: number): Verdict {
  if (right === lines.length) return "right";
  return right > 0 ? "partly" : "wrong";
}

function markChoices({ options, kind }: Question, answer: Answer, lines: Line[]): Marked {
  const chosen = new Set(answer.ids ?? (answer.id ? [answer.id] : []));
  const marked = lines.map((line, place) => ({
    ...line,
    is_chosen: chosen.has(options[place]?.id ?? ""),
  }));
  const hits = marked.filter((line) => line.is_chosen && line.is_right).length;
  const misses = marked.filter((line) => line.is_chosen && !line.is_right).length;
  const wanted = kind === "single" ? 1 : marked.filter((line) => line.is_right).length;
  if (misses === 0 && hits === wanted) return { verdict: "right", lines: marked };
  return { verdict: hits > misses ? "partly" : "wrong", lines: marked };
}

/** The lines of an unanswered ordering are in the right order; an answer lists them in its own. */
function markOrder({ options }: Question, answer: Answer, lines: Line[]): Marked {
  const byHtml = new Map(lines.map((line) => [line.html, line]));
  const marked = (answer.ids ?? []).flatMap((id, place) => {
    const line = byHtml.get(options.find((option) => option.id === id)?.html ?? "");
    return line ? [{ ...line, is_chosen: true, is_right: line.place === place + 1 }] : [];
  });
  if (marked.length !== lines.length) return { verdict: "waiting" };
  return {
    verdict: verdictOf(marked, marked.filter((line) => line.is_right).length),
    lines: marked,
  };
}

function markPairs({ left, right }: Question, answer: Answer, lines: Line[]): Marked {
  const marked = lines.map((line, place) => {
    const partner = answer.pairs?.[left[place]?.id ?? ""] ?? "";
    const chosen = right.find(({ id }) => id === partner)?.html ?? "";
    const isRight = chosen !== "" && chosen === line.right_html;
    return { ...line, chosen_html: chosen, is_chosen: chosen !== "", is_right: isRight };
  });
  return {
    verdict: verdictOf(marked, marked.filter((line) => line.is_right).length),
    lines: marked,
  };
}

function markGaps({ gaps }: Question, answer: Answer, lines: Line[]): Marked {
  const marked = lines.map((line, place) => {
    const gap = gaps[place];
    const given = answer.gaps?.[gap?.number ?? ""] ?? "";
    const words = gap?.options.find(({ id }) => id === given)?.html ?? escaped(given);
    const isRight = given !== "" && isAccepted(textOf(words), textOf(line.right_html));
    return { ...line, chosen_html: words, is_chosen: given !== "", is_right: isRight };
  });
  const right = marked.filter((line) => line.is_right).length;
  const isTyped = gaps.some(({ kind }) => kind !== "single");
  if (right < lines.length && isTyped) return { verdict: "waiting", lines: marked };
  return { verdict: verdictOf(marked, right), lines: marked };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const textOf = (html: string): string =>
  new DOMParser().parseFromString(html, "text/html").body.textContent;

const plain = (text: string): string => text.trim().replace(/\s+/g, " ").toLocaleLowerCase();

/** Whether a typed answer is among what the server writes as accepted: “one” or “another”, or a number. */
function isAccepted(given: string, accepted: string): boolean {
  const quoted = [...accepted.matchAll(/“([^”]+)”/g)].map(([, text]) => text ?? "");
  const [before = accepted] = accepted.split(" (");
  return [accepted, before, ...quoted].some((one) => plain(one) === plain(given));
}

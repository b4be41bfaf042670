/** Takes over answers given in the form of the page before the island was loaded. */
import type { Question, QuizProps } from "./api";
import { readDraft, saveDraft } from "./draft";
import type { Answer, Answers } from "../../shared/questions/state";

/** Add the answers of the form in the mount point (templates/learning/_quiz.html) to the draft. */
export function readServerForm(spot: HTMLElement, { attempt }: QuizProps): void {
  const form = spot.querySelector("form");
  if (!form || !attempt || attempt.submitted_at) return;
  const given = new FormData(form);
  const answers: Answers = {};
  for (const question of attempt.questions) {
    const answer = answerOf(question, given);
    if (answer) answers[question.uid] = answer;
  }
  if (Object.keys(answers).length === 0) return;
  const paper = readDraft(localStorage, attempt.uid);
  saveDraft(localStorage, attempt.uid, { ...paper, answers: { ...paper.answers, ...answers } });
}

function answerOf({ uid, kind, options, left }: Question, given: FormData): Answer | null {
  const name = `q.${uid}`;
  const textOf = (value: FormDataEntryValue | null): string =>
    typeof value === "string" ? value : "";
  const values = given.getAll(name).map(textOf);
  const [first] = values;
  const parts = (of: readonly { id: string }[]): [string, string][] =>
    of.map(({ id }) => [id, textOf(given.get(`${name}.${id}`))]);
  switch (kind) {
    case "single":
      return first ? { id: first } : null;
    case "multiple":
      return first ? { ids: values } : null;
    case "truth":
      return first ? { value: first === "true" } : null;
    case "ordering": {
      const steps = parts(options).sort(([, a], [, b]) => Number(a) - Number(b));
      const isWhole = steps.every(([, place], index) => Number(place) === index + 1);
      return isWhole ? { ids: steps.map(([id]) => id) } : null;
    }
    case "matching": {
      const pairs = parts(left).filter(([, partner]) => partner !== "");
      return pairs.length > 0 ? { pairs: Object.fromEntries(pairs) } : null;
    }
    default:
      return first ? { text: first } : null;
  }
}

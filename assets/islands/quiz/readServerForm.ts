/** Takes over answers given in the form of the page before the island was loaded. */
import { answerIn } from "../../shared/questions/serverForm";
import type { Answers } from "../../shared/questions/state";
import type { QuizProps } from "./api";
import { readDraft, saveDraft } from "./draft";

/** Add the answers of the form in the mount point (templates/learning/_quiz.html) to the draft. */
export function readServerForm(spot: HTMLElement, { attempt }: QuizProps): void {
  const form = spot.querySelector("form");
  if (!form || !attempt || attempt.submitted_at) return;
  const given = new FormData(form);
  const answers: Answers = {};
  for (const question of attempt.questions) {
    const answer = answerIn(given, question);
    if (answer) answers[question.uid] = answer;
  }
  if (Object.keys(answers).length === 0) return;
  const paper = readDraft(localStorage, attempt.uid);
  saveDraft(localStorage, attempt.uid, { ...paper, answers: { ...paper.answers, ...answers } });
}

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { AnswerField } from "../../shared/questions/AnswerField";
import { Ask } from "../../shared/questions/Html";
import { ResultCard } from "../../shared/questions/ResultCard";
import { type Answer, toSend } from "../../shared/questions/state";
import type { Question } from "../../shared/questions/types";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { markAnswer } from "./api";

type Props = {
  question: Question;
  /** What marking needs; empty while the question is incomplete. */
  draft: string;
};

/** A question that its author can answer, to see how it is marked. */
export function QuestionPreview({ question, draft }: Props) {
  const [answer, setAnswer] = useState<Answer>();
  const marking = useMutation({
    mutationFn: () => {
      const given = answer
        ? toSend([question], { [question.uid]: answer })[question.uid]
        : undefined;
      return markAnswer(draft, given ?? null);
    },
  });
  // A result is that of an earlier version once the question has changed.
  const [marked, setMarked] = useState("");
  const result = marked === draft ? marking.data?.result : undefined;
  const again = (): void => {
    setMarked("");
    marking.reset();
  };
  return (
    <>
      {result ? (
        <ResultCard question={result} number={1} total={1} />
      ) : (
        <section className="question" aria-labelledby="preview-ask">
          {question.kind === "gaps" ? (
            <h3 className="question__ask" id="preview-ask">
              {t("Fill in the gaps.")}
            </h3>
          ) : question.prompt_html.trim() === "" ? (
            <h3 className="question__ask faint" id="preview-ask">
              {t("Your question")}
            </h3>
          ) : (
            <Ask html={question.prompt_html} id="preview-ask" level="h3" />
          )}
          <AnswerField
            question={question}
            answer={answer}
            onAnswer={setAnswer}
            heading="preview-ask"
          />
        </section>
      )}
      {marking.error && <ErrorPanel error={toApiError(marking.error)} />}
      {draft && (
        <div className="qpreview__foot">
          {result ? (
            <button className="btn btn--sm" type="button" onClick={again}>
              {t("Answer again")}
            </button>
          ) : (
            <button
              className="btn btn--sm"
              type="button"
              disabled={marking.isPending}
              onClick={() => marking.mutate(undefined, { onSuccess: () => setMarked(draft) })}
            >
              {t("Check the answer")}
            </button>
          )}
          <span className="small faint">{t("Only you see this. Nothing is saved.")}</span>
        </div>
      )}
    </>
  );
}

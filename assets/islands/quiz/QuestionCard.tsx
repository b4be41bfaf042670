import { t } from "../../shared/i18n";
import { AnswerField } from "../../shared/questions/AnswerField";
import { Ask } from "../../shared/questions/Html";
import type { Answer } from "../../shared/questions/state";
import { Icon } from "../../shared/ui/Icon";
import type { Question } from "./api";

type Props = {
  question: Question;
  number: number;
  total: number;
  answer: Answer | undefined;
  isFlagged: boolean;
  /** The server could not read the answer. */
  isRefused: boolean;
  onAnswer: (answer: Answer) => void;
  onFlag: () => void;
};

/** One question of an open attempt. */
export function QuestionCard(props: Props) {
  const { question, number, total, isFlagged, isRefused, onFlag } = props;
  const heading = `q${number}h`;
  const hint = hintOf(question);
  return (
    <section className="question" id={`q${number}`} aria-labelledby={heading} tabIndex={-1}>
      <div className="question__head">
        <span className="num">{t("Question {number} of {total}", { number, total })}</span>
        <button
          className="btn btn--quiet btn--sm"
          type="button"
          aria-pressed={isFlagged}
          aria-label={
            isFlagged
              ? t("Flagged, question {number}", { number })
              : t("Flag question {number}", { number })
          }
          onClick={onFlag}
        >
          <Icon name="bookmark" className={isFlagged ? "i--fill" : ""} />
          {isFlagged ? t("Flagged") : t("Flag")}
        </button>
      </div>
      {question.kind === "gaps" ? (
        <h2 className="question__ask" id={heading}>
          {t("Fill in the gaps.")}
        </h2>
      ) : (
        <Ask html={question.prompt_html} id={heading} level="h2" />
      )}
      {hint && <p className="question__kind">{hint}</p>}
      {isRefused && (
        <p className="field__error">
          <Icon name="circle-alert" />
          {t("This answer isn't valid for this question.")}
        </p>
      )}
      <AnswerField {...props} heading={heading} />
    </section>
  );
}

function hintOf({ kind, tolerance, points }: Question): string {
  switch (kind) {
    case "multiple":
      return t("Choose every correct answer.");
    case "numeric":
      return tolerance
        ? t("A number. Answers within {tolerance} count.", { tolerance })
        : t("A number.");
    case "text":
      return t("One word or a short phrase.");
    case "ordering":
      return t("Put the steps in order: drag them, or use the arrows.");
    case "essay":
      return t("Your instructor marks this answer, with up to {points} points.", { points });
    case "matching":
      return t("Match each line with its counterpart.");
    default:
      return "";
  }
}

import type { ApiError } from "../../shared/api/errors";
import { duration } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import type { QuizProps } from "./api";

type Props = {
  quiz: QuizProps;
  error: ApiError | null;
  isOpening: boolean;
  onOpen: () => void;
  onRetry: () => Promise<unknown>;
};

/** The rules, the tries so far, and the button that opens one. */
export function Start({ quiz, error, isOpening, onOpen, onRetry }: Props) {
  const { attempts_left: left, past, question_count: count } = quiz;

  return (
    <section className="panel panel__body start mt-6" aria-label={t("Rules")}>
      <dl className="start__facts">
        <Fact name={t("Questions")} value={String(count)} />
        <Fact name={t("To pass")} value={`${quiz.pass_percent}%`} />
        <Fact
          name={t("Time")}
          value={quiz.time_limit ? duration(quiz.time_limit) : t("No limit")}
        />
        <Fact name={t("Tries left")} value={left === null ? t("No limit") : String(left)} />
      </dl>
      {error && <ErrorPanel error={error} onRetry={onRetry} />}
      {quiz.may_attempt && (
        <Button look="primary" isBusy={isOpening} onClick={onOpen}>
          {past.length > 0 ? t("Try again") : t("Start the quiz")}
        </Button>
      )}
      {left === 0 && !quiz.may_attempt && (
        <p className="muted">
          {t("You have used every try this quiz allows. Your best result counts.")}
        </p>
      )}
      {count === 0 && <p className="muted">{t("This quiz has no questions yet.")}</p>}
      {past.length > 0 && (
        <p className="small faint num">
          {past
            .map(({ number, percent }) => t("Try {number}: {percent}%", { number, percent }))
            .join(", ")}
        </p>
      )}
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

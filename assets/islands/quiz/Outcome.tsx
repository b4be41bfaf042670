import { ArrowRight, Check, X } from "lucide-react";
import { useEffect, useRef } from "react";

import { dateAndTime, duration, clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import type { Attempt, Result } from "./api";
import { ResultCard } from "./ResultCard";

type Props = {
  attempt: Attempt;
  result: Result;
  progressPage: string;
  /** It has just been handed in: the focus goes to what came of it. */
  isFresh: boolean;
  /** Opens another try; absent when there is none left or nothing to gain. */
  again?: { isOpening: boolean; onOpen: () => void } | undefined;
};

/** What a try brought: the score, a sentence, and each question with its reason. */
export function Outcome({ attempt, result, progressPage, isFresh, again }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFresh) return;
    heading.current?.focus();
    heading.current?.scrollIntoView({ block: "center" });
  }, [isFresh]);
  const { percent, questions } = result;

  return (
    <>
      <section className="panel verdict mt-6" aria-labelledby="vd">
        <div className="ring" role="img" aria-label={t("Score {percent} percent", { percent })}>
          <svg viewBox="0 0 100 100" aria-hidden="true">
            <circle cx="50" cy="50" r="43" pathLength="100" />
            <circle cx="50" cy="50" r="43" pathLength="100" strokeDasharray={`${percent} 100`} />
          </svg>
          <b aria-hidden="true">{percent}%</b>
        </div>
        <div>
          <p className="kicker">
            {t("Score {score} of {points}", { score: result.score, points: result.points })}
          </p>
          <h2 className="h2 mt-2" id="vd" ref={heading} tabIndex={-1}>
            {result.headline}
          </h2>
          <p className="muted mt-3">
            {t("You needed {percent}%.", { percent: attempt.pass_percent })}{" "}
            {result.best_percent > percent &&
              t("Your best try, {percent}%, counts.", { percent: result.best_percent })}
          </p>
          {attempt.submitted_at && (
            <p className="small faint mt-2 num">
              {t("Handed in on {time}, after {duration}", {
                time: dateAndTime(attempt.submitted_at),
                duration: result.seconds < 60 ? clock(result.seconds) : duration(result.seconds),
              })}
            </p>
          )}
        </div>
        <div className="stack verdict__acts">
          {result.is_passed && result.next && (
            <a className="btn btn--primary btn--block" href={result.next.url}>
              {t("Next: {number}", { number: result.next.number })} <Icon icon={ArrowRight} />
            </a>
          )}
          {again && (
            <Button
              look="primary"
              className="btn--block"
              isBusy={again.isOpening}
              onClick={again.onOpen}
            >
              {t("Try again")}
            </Button>
          )}
          <a className="btn btn--block" href={progressPage}>
            {t("Course progress")}
          </a>
        </div>
      </section>
      <div className="paper__grid">
        <aside className="paper__side" aria-label={t("Results by question")}>
          <nav className="qnav" aria-label={t("Results")}>
            {questions.map(({ uid, verdict }, index) => (
              <a
                key={uid}
                href={`#r${index + 1}`}
                className={verdict === "right" ? "is-right" : "is-wrong"}
              >
                <span>
                  {index + 1}
                  <Icon
                    icon={verdict === "right" ? Check : X}
                    label={verdict === "right" ? t("correct") : t("not correct")}
                  />
                </span>
              </a>
            ))}
          </nav>
          <p className="small muted">
            {t("{right} of {total} right.", {
              right: questions.filter(({ verdict }) => verdict === "right").length,
              total: questions.length,
            })}{" "}
            {t("The explanations stay here.")}
          </p>
        </aside>
        <div className="questions">
          {questions.map((question, index) => (
            <ResultCard
              key={question.uid}
              question={question}
              number={index + 1}
              total={questions.length}
            />
          ))}
        </div>
      </div>
    </>
  );
}

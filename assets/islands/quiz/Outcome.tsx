import { useEffect, useRef } from "react";

import { dateAndTime, duration, clock } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { Icon } from "../../shared/ui/Icon";
import type { Attempt, QuizProps, Result } from "./api";
import { OpenAttempt } from "./OpenAttempt";
import { ResultCard } from "../../shared/questions/ResultCard";

type Props = {
  attempt: Attempt;
  result: Result;
  quiz: QuizProps;
  /** Whether it was submitted on this page: then the result gets the focus. */
  isFresh: boolean;
  /** Opens another attempt; absent if none is left or the quiz is passed. */
  again?:
    | {
        opensAt: number | null;
        continues: number | null;
        isOpening: boolean;
        onOpen: () => void;
      }
    | undefined;
};

/** The result of an attempt: the score, a sentence, and each question with its explanation. */
export function Outcome({ attempt, result, quiz, isFresh, again }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFresh) return;
    heading.current?.focus();
    heading.current?.scrollIntoView({ block: "center" });
  }, [isFresh]);
  const { percent, questions, waiting } = result;

  return (
    <>
      <section className="panel verdict mt-6" aria-labelledby="vd">
        <div
          className="ring"
          role="img"
          aria-label={
            waiting > 0 ? t("The score isn't known yet") : t("Score {percent} percent", { percent })
          }
        >
          <svg viewBox="0 0 100 100" aria-hidden="true">
            <circle cx="50" cy="50" r="43" pathLength="100" />
            {waiting === 0 && percent > 0 && (
              <circle cx="50" cy="50" r="43" pathLength="100" strokeDasharray={`${percent} 100`} />
            )}
          </svg>
          <b aria-hidden="true">{waiting > 0 ? "…" : `${percent}%`}</b>
        </div>
        <div>
          <p className="kicker">
            {waiting > 0
              ? t("So far {score} of {points}", { score: result.score, points: result.points })
              : t("Score {score} of {points}", { score: result.score, points: result.points })}
          </p>
          <h2 className="h2 mt-2" id="vd" ref={heading} tabIndex={-1}>
            {result.headline}
          </h2>
          <p className="muted mt-3">
            {waiting > 0 &&
              tn(
                "{count} answer has no mark yet. You'll be notified when your instructor has marked it.",
                "{count} answers have no mark yet. You'll be notified when your instructor has marked them.",
                waiting,
              )}{" "}
            {waiting > 0
              ? t("You need {percent}% to pass.", { percent: attempt.pass_percent })
              : t("You needed {percent}%.", { percent: attempt.pass_percent })}{" "}
            {result.best_percent > percent &&
              t("Your best attempt, {percent}%, counts.", { percent: result.best_percent })}
          </p>
          {!result.shows_answers && questions.some(({ verdict }) => !isClear(verdict)) && (
            <p className="muted mt-2">{whyHidden(quiz)}</p>
          )}
          {attempt.submitted_at && (
            <p className="small faint mt-2 num">
              {t("Submitted {time}, took {duration}", {
                time: dateAndTime(attempt.submitted_at),
                duration: result.seconds < 60 ? clock(result.seconds) : duration(result.seconds),
              })}
              {result.is_offline && (
                <span className="block">{t("Taken offline; time measured by your device")}</span>
              )}
            </p>
          )}
        </div>
        <div className="stack verdict__acts">
          {result.certificate_url !== null && !again && (
            <a className="btn btn--primary btn--block" href={result.certificate_url}>
              <Icon name="award" />
              {t("Your certificate")}
            </a>
          )}
          {result.certificate_url === null && result.is_passed && result.next && (
            <a className="btn btn--primary btn--block" href={result.next.url}>
              {t("Next: {number}", { number: result.next.number })} <Icon name="arrow-right" />
            </a>
          )}
          {again && (
            <OpenAttempt
              key={again.opensAt}
              look="primary"
              className="btn--block"
              isFirst={false}
              {...again}
            />
          )}
          <a className="btn btn--block" href={quiz.progress_page}>
            {t("Course progress")}
          </a>
        </div>
      </section>
      <div className="paper__grid">
        <aside className="paper__side" aria-label={t("Results by question")}>
          <nav className="qnav" aria-label={t("Results")}>
            {questions.map((question, index) => {
              const { look, icon, words } = markOf(question);
              return (
                <a key={question.uid} href={`#r${index + 1}`} className={look}>
                  <span>
                    {index + 1}
                    <Icon name={icon} label={words} />
                  </span>
                </a>
              );
            })}
          </nav>
          <p className="small muted">
            {t("{right} of {total} correct.", {
              right: questions.filter(({ verdict }) => verdict === "right").length,
              total: questions.length,
            })}{" "}
            {result.shows_answers && t("You can come back to the explanations here.")}
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

function markOf({ kind, verdict }: Result["questions"][number]) {
  const wrong = { look: "is-wrong", icon: "x", words: t("not correct") } as const;
  // Of an essay, the number of points says all.
  const less =
    kind === "essay" ? ({ look: "is-open", icon: "pen-line", words: t("marked") } as const) : wrong;
  return {
    right: { look: "is-right", icon: "check", words: t("correct") },
    partly: less,
    wrong: less,
    open: { look: "is-open", icon: "minus", words: t("not answered") },
    waiting: { look: "is-open", icon: "hourglass", words: t("waiting for a mark") },
  }[verdict] as { look: string; icon: IconName; words: string };
}

/** Whether there is no correct answer to hide. */
function isClear(verdict: Result["questions"][number]["verdict"]): boolean {
  return verdict === "right" || verdict === "waiting";
}

/** Why the correct answers are not shown. */
function whyHidden({ reveal, attempts_left: left }: QuizProps): string {
  if (reveal === "never") return t("This quiz doesn't show the correct answers.");
  if (left === null) return t("The correct answers will appear here once you pass.");
  return t("The correct answers will appear here once you pass, or after your last attempt.");
}

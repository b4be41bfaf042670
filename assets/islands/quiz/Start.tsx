import type { ReactNode } from "react";

import type { ApiError } from "../../shared/api/errors";
import { duration, longDate } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import type { QuizProps } from "./api";
import { OfflineRules, whyNotOffline } from "./Offline";
import { OpenAttempt } from "./OpenAttempt";

type Props = {
  quiz: QuizProps;
  error: ApiError | null;
  /** Whether a result is shown above, so that the rules are known. */
  isAgain: boolean;
  /** When another attempt may be opened, in ms since 1970; null: now. */
  opensAt: number | null;
  isOpening: boolean;
  onOpen: () => void;
  onRetry: () => Promise<unknown>;
};

/** The rules, the attempts so far, and the button that opens one. */
export function Start({ quiz, error, isAgain, opensAt, isOpening, onOpen, onRetry }: Props) {
  const { attempts_left: left, past, question_count: count, reopened } = quiz;
  const marked = past.filter(({ is_waiting: isWaiting }) => !isWaiting);

  return (
    <section className="panel start mt-6" aria-label={t("Rules")}>
      <dl className="start__facts">
        <Fact name={t("Questions")} value={String(count)} />
        <Fact name={t("To pass")} value={`${quiz.pass_percent}%`} />
        <Fact
          name={t("Time")}
          value={quiz.time_limit ? duration(quiz.time_limit) : t("No limit")}
          note={quiz.has_extra_time ? t("with your extra time") : ""}
        />
        <Fact name={t("Attempts left")} value={left === null ? t("No limit") : String(left)} />
        {marked.length > 0 && (
          <Fact
            name={t("Best result")}
            value={`${Math.max(...marked.map(({ percent }) => percent))}%`}
          />
        )}
      </dl>
      {count > 0 && !isAgain && <Rules quiz={quiz} />}
      {quiz.offline && quiz.may_attempt && <OfflineRules quiz={quiz} offline={quiz.offline} />}
      {past.length > 0 && <Attempts past={past} />}
      <div className="start__act">
        {quiz.may_attempt && reopened && (
          <div className="notice notice--info" role="note">
            <Icon name="rotate-ccw" className="notice__icon" />
            <p className="notice__title">
              {t("Attempt {number} was reopened for you", { number: reopened.number })}
            </p>
            <p className="notice__body">
              {t("Your questions and answers are in place, and the result you have stays.")}{" "}
              {reopened.time_limit
                ? t("From when you continue, you have {time}.", {
                    time: duration(reopened.time_limit),
                  })
                : t("There is no time limit.")}
            </p>
          </div>
        )}
        {error && <ErrorPanel error={error} onRetry={onRetry} />}
        {quiz.may_attempt ? (
          <OpenAttempt
            key={opensAt}
            look={isAgain && !reopened ? "secondary" : "primary"}
            size="lg"
            isFirst={past.length === 0}
            continues={reopened?.number ?? null}
            opensAt={opensAt}
            isOpening={isOpening}
            onOpen={onOpen}
          />
        ) : (
          <p className="muted">{whyNot(quiz)}</p>
        )}
      </div>
    </section>
  );
}

function whyNot(quiz: QuizProps): string {
  const { attempts_left: left, question_count: count, is_removed } = quiz;
  if (quiz.offline) return whyNotOffline(quiz.offline);
  if (is_removed) return t("This quiz is no longer part of the course.");
  if (left === 0) return t("You've used all your attempts for this quiz. Your best result counts.");
  if (count === 0) return t("This quiz has no questions yet.");
  return t("Enroll in the course to take this quiz.");
}

function Fact({ name, value, note = "" }: { name: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {note && <span className="small faint block">{note}</span>}
      </dd>
    </div>
  );
}

type Kind = QuizProps["kinds"][number]["kind"];
const kinds: Record<Kind, { icon: IconName; words: (count: number) => string }> = {
  single: {
    icon: "circle-dot",
    words: (n) =>
      tn(
        "{count} question with one correct answer",
        "{count} questions with one correct answer",
        n,
      ),
  },
  multiple: {
    icon: "list-checks",
    words: (n) =>
      tn(
        "{count} question with several correct answers",
        "{count} questions with several correct answers",
        n,
      ),
  },
  truth: {
    icon: "check-check",
    words: (n) => tn("{count} statement, true or false", "{count} statements, true or false", n),
  },
  numeric: {
    icon: "hash",
    words: (n) => tn("{count} number to work out", "{count} numbers to work out", n),
  },
  text: {
    icon: "text-cursor-input",
    words: (n) => tn("{count} word or short phrase", "{count} words or short phrases", n),
  },
  ordering: {
    icon: "arrow-down-up",
    words: (n) => tn("{count} list to put in order", "{count} lists to put in order", n),
  },
  matching: {
    icon: "link-2",
    words: (n) => tn("{count} set of pairs to match", "{count} sets of pairs to match", n),
  },
  gaps: {
    icon: "rectangle-ellipsis",
    words: (n) => tn("{count} text with gaps to fill", "{count} texts with gaps to fill", n),
  },
  essay: {
    icon: "pen-line",
    words: (n) =>
      tn(
        "{count} longer answer, marked by your instructor",
        "{count} longer answers, marked by your instructor",
        n,
      ),
  },
};

function Rules({ quiz }: { quiz: QuizProps }) {
  const { attempts_left: left } = quiz;
  return (
    <div className="start__await">
      <List title={t("What you'll be asked")}>
        {quiz.kinds.length === 0 && (
          <li>
            <Icon name="list-checks" />
            {t("{count} of {total} questions, drawn at random", {
              count: quiz.question_count,
              total: quiz.pool_count,
            })}
          </li>
        )}
        {quiz.kinds.map(({ kind, count }) => (
          <li key={kind}>
            <Icon name={kinds[kind].icon} />
            {kinds[kind].words(count)}
          </li>
        ))}
      </List>
      <List title={t("How it works")}>
        <li>
          <Icon name="clock" />
          {quiz.time_limit
            ? t("The clock starts when you do. At 0:00, your answers are submitted as they are.")
            : t("There is no time limit.")}
        </li>
        <li>
          <Icon name="message-square-text" />
          {revealRule(quiz)}
        </li>
        <li>
          <Icon name="refresh-cw" />
          {left === null
            ? t("Take it as often as you like. Your best result counts.")
            : tn(
                "{count} attempt left. Your best result counts.",
                "{count} attempts left. Your best result counts.",
                left,
              )}
        </li>
      </List>
    </div>
  );
}

/** When the correct answers are shown. */
function revealRule({ reveal, attempts_left: left }: QuizProps): string {
  if (reveal === "always") return t("Every answer is explained after you submit.");
  if (reveal === "never")
    return t("You'll see which questions you got right, but not the correct answers.");
  if (left === null) return t("You'll see the correct answers once you pass.");
  return t("You'll see the correct answers once you pass, or after your last attempt.");
}

function List({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h2 className="h5">{title}</h2>
      <ul className="ticks">{children}</ul>
    </div>
  );
}

function Attempts({ past }: { past: QuizProps["past"] }) {
  return (
    <div className="start__tries">
      <h2 className="h5">{t("Your attempts")}</h2>
      <ol>
        {past.map(
          ({
            uid,
            number,
            percent,
            is_passed: isPassed,
            is_waiting: isWaiting,
            is_continued: isContinued,
            submitted_at: at,
          }) => (
            <li key={uid}>
              <span>
                {t("Attempt {number}", { number })}
                {isContinued && (
                  <span className="small faint">
                    {" "}
                    {t("continues {number}", { number: number - 1 })}
                  </span>
                )}
              </span>
              <span className="small faint">{longDate(at)}</span>
              <progress className="bar" max={100} value={percent} aria-label={t("Score")} />
              <b>{isWaiting ? "–" : `${percent}%`}</b>
              {isWaiting ? (
                <span className="badge badge--info">
                  <Icon name="hourglass" />
                  {t("Waiting")}
                </span>
              ) : isPassed ? (
                <span className="badge badge--ok">
                  <Icon name="check" />
                  {t("Passed")}
                </span>
              ) : (
                <span className="badge">{t("Not passed")}</span>
              )}
            </li>
          ),
        )}
      </ol>
    </div>
  );
}

import { useMutation } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";

import { type ApiError, toApiError } from "../../shared/api/errors";
import { useOnline } from "../../shared/hooks/useOnline";
import { t, tn } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { type Attempt, keepAnswers, submitAttempt, type Submitted } from "./api";
import { Clock } from "./Clock";
import { beginDraft, deleteDraft, saveDraft } from "./draft";
import { QuestionCard } from "./QuestionCard";
import { countAnswered, reduce, toSend, unreadable } from "../../shared/questions/state";
import { useAddedTime } from "./useAddedTime";
import { useCountdown } from "./useCountdown";
import { useCurrentQuestion } from "./useCurrentQuestion";

type Props = {
  attempt: Attempt;
  /** Whether it was opened on this page: then the first question gets the focus. */
  isOpenedHere?: boolean;
  /** By `Date.now()`; null without a limit. */
  endsAt: number | null;
  /** At the end of the time: asks the server whether the attempt has more by now, and resolves to that. */
  onTimeOver: () => Promise<boolean>;
  onSubmitted: (attempt: Submitted) => void;
  /** The server says that this attempt is closed or its time is over. */
  onClosed: (error: ApiError) => void;
};

const SOON = 120; // seconds left at which a warning is shown

/** The questions of an open attempt on one page, with an index and the clock. */
export function Paper({ attempt, isOpenedHere = false, endsAt, ...events }: Props) {
  const { onTimeOver, onSubmitted, onClosed } = events;
  const { questions, uid, continues } = attempt;
  const isKeptByPage = attempt.given !== undefined;
  const [paper, dispatch] = useReducer(reduce, attempt, (it) => beginDraft(localStorage, it));
  const [isAsking, setIsAsking] = useState(false);
  const [isChecked, setIsChecked] = useState(false); // after submitting numbers that cannot be read
  const latest = useRef(paper);
  const isTimeOver = useRef(false);
  useEffect(() => {
    if (isOpenedHere) document.getElementById("q1")?.focus({ preventScroll: true });
  }, [isOpenedHere]);
  useEffect(() => {
    latest.current = paper;
    // At once, as a page that is left waits for nothing else.
    saveDraft(localStorage, uid, paper);
    if (!isKeptByPage) return;
    void keepAnswers(uid, paper).then((isKept) => {
      if (isKept && latest.current === paper) deleteDraft(localStorage, uid);
    });
  }, [isKeptByPage, paper, uid]);

  const submission = useMutation({
    mutationFn: (without: string[]) => {
      const asked = questions.filter((question) => !without.includes(question.uid));
      return submitAttempt(uid, toSend(asked, latest.current.answers));
    },
    onSuccess: (done) => {
      deleteDraft(localStorage, uid);
      if (continues) deleteDraft(localStorage, continues);
      onSubmitted(done);
    },
    onError: (thrown, without) => {
      const error = toApiError(thrown);
      if (error.is("QUIZ_ATTEMPT_CLOSED") || error.is("QUIZ_TIME_OVER")) {
        // After the end of its time the answers stay here: the attempt may be reopened.
        if (error.is("QUIZ_ATTEMPT_CLOSED")) deleteDraft(localStorage, uid);
        onClosed(error);
      } else if (isTimeOver.current && without.length === 0) {
        // Time is over, so no answer can be corrected: submit without those that the server cannot read.
        const unreadable = refusedOf(error);
        if (unreadable.length > 0) mutate(unreadable);
      }
    },
  });
  const { mutate, mutateAsync } = submission;
  const submit = useCallback(() => mutate([]), [mutate]);
  const left = useCountdown(endsAt, () => {
    void onTimeOver().then((hasMore) => {
      if (!hasMore) submit();
    });
  });
  const addedTime = useAddedTime(attempt);
  useEffect(() => {
    isTimeOver.current = left === 0;
  }, [left]);
  const isOnline = useOnline();
  const current = useCurrentQuestion(questions.length);

  const error = submission.error ? toApiError(submission.error) : null;
  const refused = refusedOf(error);
  useEffect(() => {
    const first = questions.findIndex((question) => refused.includes(question.uid));
    if (first >= 0) document.getElementById(`q${first + 1}`)?.focus();
    // Only when another failure arrives.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [error]);

  const total = questions.length;
  const answered = countAnswered(questions, paper.answers);
  const open = total - answered;
  const unread = unreadable(questions, paper.answers);
  const ask = (): void => {
    setIsChecked(unread.length > 0);
    const first = questions.findIndex((question) => question.uid === unread[0]);
    if (first >= 0) document.getElementById(`q${first + 1}`)?.focus();
    else if (open > 0) setIsAsking(true);
    else submit();
  };
  const submitButton = (
    <Button look="primary" isBusy={submission.isPending} onClick={ask} className="btn--block">
      {t("Submit")}
    </Button>
  );

  return (
    <div className="paper__grid" data-open-attempt="">
      <aside className="paper__side" aria-label={t("This quiz")}>
        <div className="panel panel__body stack">
          {left !== null && <Clock left={left} limit={attempt.time_limit} />}
          <nav className="qnav" aria-label={t("Questions")}>
            {questions.map((question, index) => (
              <IndexLink
                key={question.uid}
                number={index + 1}
                isDone={question.uid in toSend([question], paper.answers)}
                isFlagged={paper.flags.includes(question.uid)}
                isCurrent={current === index + 1}
              />
            ))}
          </nav>
          <p className="small muted" role="status">
            {t("{done} of {total} answered. Saved on this device.", { done: answered, total })}
          </p>
          {submitButton}
        </div>
        <div className="paper__alerts">
          {addedTime && (
            <div className="notice notice--ok">
              <Icon name="clock" className="notice__icon" />
              <p className="notice__title">{addedTime}</p>
              <p className="notice__body">{t("Your instructor has given you more time.")}</p>
            </div>
          )}
          {left !== null && left <= SOON && left > 0 && (
            <div className="notice notice--warning" role="status">
              <Icon name="clock" className="notice__icon" />
              <p className="notice__title">{t("Less than two minutes left")}</p>
              <p className="notice__body">{t("At 0:00, the quiz is submitted as it is.")}</p>
            </div>
          )}
          {!isOnline && !isKeptByPage && (
            <div className="notice notice--warning" role="status">
              <Icon name="wifi-off" className="notice__icon" />
              <p className="notice__title">{t("You're offline")}</p>
              <p className="notice__body">
                {t("Keep going. Your answers are saved on this device until you submit.")}
              </p>
            </div>
          )}
        </div>
      </aside>
      <div className="questions">
        {isChecked && unread.length > 0 && (
          <div className="notice notice--error" role="alert">
            <Icon name="circle-alert" className="notice__icon" />
            <p className="notice__title">{t("Some answers need your attention")}</p>
            <p className="notice__body">
              {t("Nothing was submitted. Correct the marked answers, or leave them empty.")}
            </p>
          </div>
        )}
        {error && !isClosing(error) && (
          <ErrorPanel
            error={error}
            {...(refused.length > 0 ? {} : { onRetry: () => mutateAsync([]) })}
            message={
              refused.length > 0
                ? t("Nothing was submitted. Check the marked questions.")
                : t("Your answers are saved on this device.")
            }
          />
        )}
        {questions.map((question, index) => (
          <QuestionCard
            key={question.uid}
            question={question}
            number={index + 1}
            total={total}
            answer={paper.answers[question.uid]}
            isFlagged={paper.flags.includes(question.uid)}
            isRefused={
              refused.includes(question.uid) || (isChecked && unread.includes(question.uid))
            }
            onAnswer={(answer) => dispatch({ type: "answer", question: question.uid, answer })}
            onFlag={() => dispatch({ type: "flag", question: question.uid })}
          />
        ))}
        <div className="questions__end row row--between">
          <p className="muted">
            {open > 0
              ? tn(
                  "{count} question is unanswered. You can still submit.",
                  "{count} questions are unanswered. You can still submit.",
                  open,
                )
              : t("You've answered every question.")}
          </p>
          <Button look="primary" isBusy={submission.isPending} onClick={ask}>
            {t("Submit")}
          </Button>
        </div>
      </div>
      {isAsking && (
        <Dialog
          title={t("Submit with unanswered questions?")}
          onClose={() => setIsAsking(false)}
          actions={
            <>
              <Button data-autofocus onClick={() => setIsAsking(false)}>
                {t("Keep working")}
              </Button>
              <Button
                look="primary"
                onClick={() => {
                  setIsAsking(false);
                  submit();
                }}
              >
                {t("Submit")}
              </Button>
            </>
          }
        >
          <p>
            {tn(
              "{count} question is unanswered and scores no points.",
              "{count} questions are unanswered and score no points.",
              open,
            )}
          </p>
        </Dialog>
      )}
    </div>
  );
}

type IndexProps = { number: number; isDone: boolean; isFlagged: boolean; isCurrent: boolean };

function IndexLink({ number, isDone, isFlagged, isCurrent }: IndexProps) {
  const said = [
    isDone ? t("answered") : t("not answered"),
    ...(isFlagged ? [t("flagged")] : []),
    ...(isCurrent ? [t("you are here")] : []),
  ];
  const classes = [isDone && "is-done", isFlagged && "is-flag"].filter(Boolean).join(" ");
  return (
    <a href={`#q${number}`} className={classes} aria-current={isCurrent || undefined}>
      {number}
      <span className="vh">, {said.join(", ")}</span>
    </a>
  );
}

function isClosing(error: ApiError): boolean {
  return error.is("QUIZ_ATTEMPT_CLOSED") || error.is("QUIZ_TIME_OVER");
}

/** The questions whose answers the server could not read. */
function refusedOf(error: ApiError | null): string[] {
  if (!error?.is("VALIDATION_FAILED")) return [];
  return Object.keys(error.problem.fields)
    .map((path) => /^answers\.([0-9a-f-]{36})/.exec(path)?.[1] ?? "")
    .filter(Boolean);
}

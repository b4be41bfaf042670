import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { toApiError } from "../../shared/api/errors";
import { longDate } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { registerShortcuts } from "../../shared/shortcuts";
import { Button } from "../../shared/ui/Button";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { LETTERS } from "../../shared/questions/Choices";
import { hasBlocks, Html } from "../../shared/questions/Html";
import { AnswerField } from "../../shared/questions/AnswerField";
import { ResultCard } from "../../shared/questions/ResultCard";
import { isAnswered, isReadable, toggled } from "../../shared/questions/state";
import { type Answer, type Answered, type Card, checkAnswer, type Rating } from "./api";
import { Grade } from "./Grade";

type Props = {
  card: Card;
  isFirst: boolean;
  /** What was answered before the island was loaded. */
  entered?: Answer | null | undefined;
  isSaving: boolean;
  onRate: (rating: Rating, answer: Answer | null, answered: Answered | null) => void;
  /** The card was deleted or is closed now. */
  onGone: () => void;
};

/** One card: the question, then the answer with its explanation, then how well it was remembered. */
export function CardView({ card, isFirst, entered, isSaving, onRate, onGone }: Props) {
  const { question } = card;
  const [answer, setAnswer] = useState<Answer | undefined>(entered ?? undefined);
  const [sent, setSent] = useState<Answer | null>(null);
  const [isTurned, setIsTurned] = useState(false);
  const heading = useRef<HTMLHeadingElement & HTMLDivElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
  }, [isFirst]);

  const check = useMutation({
    mutationFn: (given: Answer | null) => checkAnswer(card.uid, given),
    onSuccess: (_answered, given) => {
      setSent(given);
      setIsTurned(true);
    },
    onError: (thrown) => {
      if (toApiError(thrown).is("PRACTICE_CARD_NOT_FOUND")) {
        announce(t("This card is gone."));
        onGone();
      }
    },
  });
  const answered = check.data ?? null;
  const isReady =
    question === null ||
    (answer !== undefined && isAnswered(answer) && isReadable(question, answer));
  const turn = (): void => {
    if (check.isPending || isTurned) return;
    if (question === null) setIsTurned(true);
    else if (isReady) check.mutate(answer ?? null);
  };
  const pick = (place: number): void => {
    const id = optionAt(card, place);
    if (id === undefined || isTurned || check.isPending) return;
    if (question?.kind === "truth") setAnswer({ value: id === "true" });
    else if (question?.kind === "multiple") setAnswer({ ids: toggled(answer?.ids, id) });
    else setAnswer({ id });
  };
  useKeys(card, isTurned, turn, pick);

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    turn();
  };
  /** Space chooses an option; on one that is chosen it does nothing by itself, so it checks. */
  const spaceTurns = (event: KeyboardEvent): void => {
    const { target } = event;
    if (event.key !== " " || !(target instanceof HTMLInputElement)) return;
    if (target.type !== "radio" || !target.checked) return;
    event.preventDefault();
    turn();
  };
  return (
    <article className="panel flash" aria-labelledby="ask">
      <div className="row row--between">
        <p className="kicker">{sourceOf(card)}</p>
        <span className="small faint">{historyOf(card)}</span>
      </div>
      {question && (question.kind === "gaps" || !hasBlocks(question.prompt_html)) ? (
        <h2 className="flash__ask" id="ask" ref={heading} tabIndex={-1}>
          {question.kind === "gaps" ? t("Fill in the gaps.") : <Html html={question.prompt_html} />}
        </h2>
      ) : (
        <div
          className={question ? "prose question__text" : "flash__ask"}
          id="ask"
          ref={heading}
          tabIndex={-1}
          dangerouslySetInnerHTML={{ __html: question?.prompt_html ?? card.front_html }}
        />
      )}
      {!isTurned && (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of its fields
        <form className="stack gap-5" onSubmit={submit} onKeyDown={spaceTurns}>
          {question && (
            <AnswerField question={question} answer={answer} heading="ask" onAnswer={setAnswer} />
          )}
          {check.error && (
            <ErrorPanel
              error={toApiError(check.error)}
              onRetry={() => check.mutateAsync(answer ?? null)}
            />
          )}
          <div className="row row--between">
            {question ? (
              <Button
                look="quiet"
                isBusy={check.isPending && !sent}
                onClick={() => check.mutate(null)}
              >
                {t("I don't know")}
              </Button>
            ) : (
              <span />
            )}
            <Button
              type="submit"
              look="primary"
              isBusy={check.isPending}
              aria-disabled={!isReady || undefined}
            >
              {question ? t("Check") : t("Show the answer")}
              <kbd aria-hidden="true">{t("Space")}</kbd>
            </Button>
          </div>
        </form>
      )}
      {isTurned && (
        <>
          <p className="flash__fold">{t("Answer")}</p>
          <div className="flash__result">
            {answered ? (
              <ResultCard question={answered.result} number={1} total={1} />
            ) : (
              <div className="prose" dangerouslySetInnerHTML={{ __html: card.back_html }} />
            )}
          </div>
          <Grade
            intervals={card.intervals}
            suggested={answered?.suggested ?? 3}
            isSaving={isSaving}
            said={answered ? verdicts()[answered.result.verdict] : t("Answer")}
            onRate={(rating) => onRate(rating, sent, answered)}
          />
        </>
      )}
    </article>
  );
}

/** Space turns the card, letters choose options, wherever the focus is. */
function useKeys(card: Card, isTurned: boolean, turn: () => void, pick: (place: number) => void) {
  const latest = useRef({ turn, pick });
  useEffect(() => {
    latest.current = { turn, pick };
  });
  useEffect(() => {
    if (isTurned) return;
    const count = optionCount(card);
    const letters = Array.from({ length: count }, (_, place) => LETTERS.charAt(place));
    return registerShortcuts([
      {
        keys: [" "],
        caps: [t("Space")],
        label: card.question ? t("Check the answer") : t("Show the answer"),
        group: "lesson",
        run: () => latest.current.turn(),
      },
      ...letters.map((letter, place) => ({
        keys: [letter.toLowerCase()],
        caps: [letter],
        label: t("Choose answer {letter}", { letter }),
        group: "lesson" as const,
        run: () => latest.current.pick(place),
      })),
    ]);
  }, [card, isTurned]);
}

/** How many options can be chosen by a letter. */
export function optionCount({ question }: Card): number {
  if (question?.kind === "truth") return 2;
  return question?.kind === "single" || question?.kind === "multiple" ? question.options.length : 0;
}

function optionAt({ question }: Card, place: number): string | undefined {
  return question?.kind === "truth" ? ["true", "false"][place] : question?.options[place]?.id;
}

function sourceOf({ course, quiz }: Card): string {
  if (!course) return t("Flash card");
  return quiz ? t("{course}, from quiz {quiz}", { course, quiz }) : course;
}

function historyOf({ missed, missed_at: at, turn, question }: Card): string {
  if (!question) return turn === 0 ? t("New") : "";
  if (!at) return "";
  return tn("Missed once, on {day}", "Missed {count} times, last on {day}", missed, {
    day: longDate(at),
  });
}

function verdicts() {
  return {
    right: t("Correct"),
    partly: t("Partly correct"),
    wrong: t("Incorrect"),
    open: t("Not answered"),
    waiting: t("Waiting for a mark"),
  } as const;
}

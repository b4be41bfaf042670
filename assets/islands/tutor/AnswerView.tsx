import { useState } from "react";

import { ApiError, isErrorCode, toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { CopyButton, NoteButton, Pages } from "./AnswerButtons";
import { Cards } from "./Cards";
import { citationOf, playHere } from "./citations";
import { LiveText } from "./LiveText";
import { RatingButtons, RatingReason } from "./Rating";
import type { ChatStore } from "./store";
import { type Answer, type Citation, type Exchange, type Failure, isOpen } from "./types";

type Props = {
  exchange: Exchange;
  /** The text so far, while it is written. */
  text: string | undefined;
  store: ChatStore;
  isLast: boolean;
  isBusy: boolean;
  /** Slug of the lesson beside which the tutor is open. */
  here?: string | undefined;
  onCite: (citation: Citation) => void;
  onAsk: (question: string) => void;
};

type Failed = { answer: Answer; error: ApiError };

/** The shown answer of an exchange, with what can be done with it. */
export function AnswerView(props: Props) {
  const { exchange } = props;
  const [chosen, setChosen] = useState<string | null>(null);
  const { answers } = exchange;
  const answer = answers.find(({ uid }) => uid === chosen) ?? answers.at(-1);
  return answer ? <OneAnswer {...props} answer={answer} onChoose={setChosen} /> : null;
}

type OneProps = Props & { answer: Answer; onChoose: (uid: string | null) => void };

function OneAnswer(props: OneProps) {
  const { answer, exchange, store, isLast, isBusy, text, onAsk, onChoose } = props;
  const [isAsking, setAsking] = useState(false);
  const { answers } = exchange;

  const run = (action: Promise<unknown>): void => {
    onChoose(null);
    action.catch((thrown: unknown) => {
      toast(toApiError(thrown).message, { icon: "circle-alert", stays: true });
    });
  };
  // The panel of an error stays during its retry, so that failures are counted.
  const [failed, setFailed] = useState<Failed | null>(null);
  const [isRetrying, setRetrying] = useState(false);
  if (answer.error && failed?.answer !== answer)
    setFailed({ answer, error: errorOf(answer.error) });
  const retry = async (): Promise<void> => {
    setRetrying(true);
    try {
      await store.tryAgain(answer.uid);
    } finally {
      setRetrying(false);
    }
  };
  const isWriting = isOpen(answer);
  const hasNewText = isWriting && text !== undefined && text !== answer.text;
  const hasError = failed !== null && (answer.error !== null || (isRetrying && !hasNewText));
  /** A question that is refused was answered: asking again changes nothing. */
  const mayRetry = isLast && answer.state !== "finished";
  const mayContinue = isLast && (answer.state === "stopped" || answer.state === "interrupted");
  return (
    <div className="answered">
      {!isWriting && <Finished {...props} answer={answer} />}
      {isWriting && !hasError && <LiveText text={text ?? answer.text} />}
      {hasError && <ErrorPanel error={failed.error} {...(mayRetry ? { onRetry: retry } : {})} />}
      {!isWriting && answer.note !== "" && (
        <p className="answered__note">
          {answer.state === "finished" && <Icon name="info" />}
          <span>{answer.note}</span>
          {mayContinue && (
            <button
              className="link"
              type="button"
              disabled={isBusy}
              onClick={() => run(store.continueAnswer(answer.uid))}
            >
              {t("Continue")}
            </button>
          )}
        </p>
      )}
      {!isWriting && answer.cards.length > 0 && <Cards answer={answer} />}
      {!isWriting && (answer.text !== "" || answers.length > 1) && (
        <div className="answered__acts" role="group" aria-label={t("Answer")}>
          <CopyButton answer={answer} />
          <RatingButtons answer={answer} store={store} isAsking={isAsking} onAsking={setAsking} />
          <NoteButton answer={answer} />
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Answer again")}
            title={t("Answer again")}
            disabled={isBusy}
            onClick={() => run(store.regenerate(exchange.uid))}
          >
            <Icon name="refresh-cw" />
          </button>
          {answers.length > 1 && (
            <Pages answers={answers} shown={answer} onChoose={({ uid }) => onChoose(uid)} />
          )}
        </div>
      )}
      {isAsking && <RatingReason answer={answer} store={store} onAsking={setAsking} />}
      {isLast && !isWriting && answer.follow_ups.length > 0 && (
        <div className="chips" role="group" aria-label={t("Ask next")}>
          {answer.follow_ups.map((one) => (
            <button key={one} className="chip" type="button" onClick={() => onAsk(one)}>
              {one}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function Finished({ answer, here, onCite }: Props & { answer: Answer }) {
  return (
    <>
      {answer.html !== "" && (
        // eslint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- links in it are pressed
        <div
          className="prose"
          dangerouslySetInnerHTML={{ __html: answer.html }}
          onFocus={({ target }) => {
            const citation = citationOf(target, answer);
            if (citation) onCite(citation);
          }}
          onMouseOver={({ target }) => {
            const citation = citationOf(target, answer);
            if (citation) onCite(citation);
          }}
          onClick={(event) => {
            const citation = citationOf(event.target, answer);
            if (citation && playHere(citation, here)) event.preventDefault();
          }}
        />
      )}
    </>
  );
}

function errorOf(error: Failure): ApiError {
  const code = isErrorCode(error.code) ? error.code : "UNKNOWN_ERROR";
  return new ApiError(503, {
    type: "",
    status: 503,
    code,
    title: error.title,
    detail: error.detail,
    params: error.params,
    fields: {},
    request_id: "",
  });
}

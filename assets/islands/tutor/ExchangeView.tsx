import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";

import { makeError, toApiError } from "../../shared/api/errors";
import { isComposing } from "../../shared/composing";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { AnswerView } from "./AnswerView";
import { modeName } from "./modes";
import type { ChatStore } from "./store";
import { type Citation, type Exchange, lengthOf } from "./types";

type Props = {
  exchange: Exchange;
  texts: Readonly<Record<string, string>>;
  store: ChatStore;
  /** Characters of a question, at most. */
  most: number;
  /** How many were asked after it. */
  later: number;
  isBusy: boolean;
  here?: string | undefined;
  onCite: (citation: Citation) => void;
  onAsk: (question: string) => void;
};

/** A question and its answer. */
export function ExchangeView({ exchange, texts, later, ...props }: Props) {
  const { store, isBusy } = props;
  const [isEditing, setEditing] = useState(false);
  const wasEditing = useRef(false);
  /** The button gets the focus back from the field. */
  const takeFocus = (button: HTMLButtonElement | null): void => {
    if (!button || !wasEditing.current) return;
    wasEditing.current = false;
    button.focus();
  };
  const shown = exchange.answers.at(-1);
  const mode = modeName(exchange.mode);
  return (
    <section className="exchange" data-exchange={exchange.uid}>
      {mode !== "" && <p className="kicker exchange__mode">{mode}</p>}
      {isEditing ? (
        <EditQuestion
          exchange={exchange}
          store={store}
          most={props.most}
          later={later}
          onDone={() => {
            wasEditing.current = true;
            setEditing(false);
          }}
        />
      ) : (
        <div className="row row--between asked">
          <h2 className="ask" tabIndex={-1}>
            {exchange.question}
          </h2>
          <button
            className="icon-btn icon-btn--sm asked__edit"
            type="button"
            ref={takeFocus}
            aria-label={t("Edit question")}
            title={t("Edit question")}
            disabled={isBusy}
            onClick={() => setEditing(true)}
          >
            <Icon name="pencil" />
          </button>
        </div>
      )}
      <AnswerView
        {...props}
        exchange={exchange}
        text={shown ? texts[shown.uid] : undefined}
        isLast={later === 0}
      />
    </section>
  );
}

type EditProps = Pick<Props, "exchange" | "store" | "most" | "later"> & { onDone: () => void };

/** The field gets the focus where the pressed button was. */
const focusField = (field: HTMLTextAreaElement | null): void => field?.focus();

function EditQuestion({ exchange, store, most, later, onDone }: EditProps) {
  const [text, setText] = useState(exchange.question);
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const question = text.trim();
  const isTooLong = lengthOf(question) > most;
  const isReady = question !== "" && !isTooLong;

  const send = async (): Promise<void> => {
    setBusy(true);
    setAsking(false);
    try {
      await store.edit(exchange.uid, question);
      document.getElementById("tutor-question")?.focus();
      onDone();
    } catch (thrown) {
      setBusy(false);
      toast(toApiError(thrown).message, { icon: "circle-alert", stays: true });
    }
  };
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!isReady || isBusy) return;
    if (later > 0) setAsking(true);
    else void send();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      onDone();
    } else if (event.key === "Enter" && !event.shiftKey && !isComposing(event.nativeEvent)) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <form className="asked__form" onSubmit={submit}>
      <label className="field">
        <span className="vh">{t("Edit question")}</span>
        <textarea
          className="input"
          rows={3}
          value={text}
          aria-invalid={isTooLong || undefined}
          ref={focusField}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      {isTooLong && <ErrorPanel error={makeError("AI_CONTEXT_TOO_LONG")} />}
      <div className="row row--tight">
        <Button size="sm" look="primary" type="submit" isBusy={isBusy} disabled={!isReady}>
          {t("Ask again")}
        </Button>
        <Button size="sm" look="quiet" onClick={onDone}>
          {t("Cancel")}
        </Button>
      </div>
      {isAsking && (
        <Dialog
          title={t("Ask this instead?")}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button data-autofocus="" onClick={() => setAsking(false)}>
                {t("Keep the chat")}
              </Button>
              <Button look="danger-fill" onClick={() => void send()}>
                {t("Ask again")}
              </Button>
            </>
          }
        >
          <p>
            {tn(
              "The question after it and its answer will be removed.",
              "The {count} questions after it and their answers will be removed.",
              later,
            )}
          </p>
        </Dialog>
      )}
    </form>
  );
}

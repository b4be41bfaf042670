import { type KeyboardEvent, type RefObject, useLayoutEffect } from "react";

import { makeError } from "../../shared/api/errors";
import { isComposing } from "../../shared/composing";
import { clock } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { momentOfPage } from "./citations";
import { modeChips } from "./modes";
import type { Scope } from "./store";
import { lengthOf, type Mode } from "./types";

const FEW = 5;

type Props = {
  text: string;
  onText: (text: string) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  hasQuestion: boolean;
  scope: Scope;
  isWriting: boolean;
  isSearch: boolean;
  /** Characters of a question, at most. */
  most: number;
  /** Questions left this hour; null: enough. */
  left: number | null;
  /** Slug of the lesson with a video beside which the tutor is open. */
  video?: string | undefined;
  placeholder: string;
  onAsk: (question: string, mode: Mode, second?: number) => void;
  onStop: () => void;
};

/** The field for a question, with the other ways to ask above it. */
export function Composer(props: Props) {
  const { text, onText, field, hasQuestion, scope, isWriting, most, video, placeholder } = props;
  const { onAsk, onStop } = props;
  const trimmed = text.trim();
  const count = lengthOf(trimmed);
  const isTooLong = count > most;

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [field, text]);

  const ask = (mode: Mode, fallback: string, second?: number): void => {
    if (isWriting || isTooLong) return;
    const question = trimmed || fallback;
    if (!question) return;
    onText("");
    onAsk(question, mode, second);
    field.current?.focus();
  };
  const explain = (): void => {
    const second = momentOfPage();
    ask("explain", t("Explain the part at {time}", { time: clock(second) }), second);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While characters are being composed, Enter chooses one of them.
    if (event.key !== "Enter" || event.shiftKey || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    ask("ask", "");
  };
  return (
    <div className="tutor__foot">
      <div className="chips" role="group" aria-label={t("Other ways to ask")}>
        {video !== undefined && (
          <button className="chip" type="button" disabled={isWriting} onClick={explain}>
            <Icon name="scroll-text" />
            {t("Explain this part")}
          </button>
        )}
        {modeChips(hasQuestion, scope).map(({ mode, label, icon }) => (
          <button
            key={mode}
            className="chip"
            type="button"
            disabled={isWriting}
            onClick={() => ask(mode, label)}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))}
      </div>
      <form
        className="askbox"
        onSubmit={(event) => {
          event.preventDefault();
          ask("ask", "");
        }}
      >
        <label className="vh" htmlFor="tutor-question">
          {placeholder}
        </label>
        <textarea
          id="tutor-question"
          ref={field}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-invalid={isTooLong || undefined}
          aria-describedby="tutor-hint"
          onChange={({ target }) => onText(target.value)}
          onKeyDown={onKeyDown}
        />
        {isWriting ? (
          <button className="btn askbox__stop" type="button" onClick={onStop}>
            <Icon name="square" />
            {t("Stop")}
          </button>
        ) : (
          <button
            className="btn btn--primary askbox__send"
            type="submit"
            aria-label={t("Send")}
            title={t("Send")}
            disabled={trimmed === "" || isTooLong}
          >
            <Icon name="arrow-up" className="i--lg" />
          </button>
        )}
      </form>
      <p className="micro faint tutor__small" id="tutor-hint">
        <Hint {...props} count={count} />
      </p>
      {isTooLong && <ErrorPanel error={makeError("AI_CONTEXT_TOO_LONG")} />}
    </div>
  );
}

function Hint({ count, most, left, isSearch }: Props & { count: number }) {
  if (count > most * 0.9)
    return <span role="status">{t("{count} of {most} characters", { count, most })}</span>;
  if (left !== null && left <= FEW)
    return (
      <span role="status">
        {tn("{count} question left this hour", "{count} questions left this hour", left)}
      </span>
    );
  return isSearch
    ? t("The tutor searches your courses and quotes them. It is not a language model.")
    : t("The tutor answers from your courses and can be wrong. Follow its references to check.");
}

import { useId, useState } from "react";

import { announce } from "../announce";
import { t, tn } from "../i18n";
import { Icon } from "../ui/Icon";
import type { Question } from "./types";
import { Html, nameOf, plain } from "./Html";
import { readNumber } from "./numbers";
import type { Answer } from "./state";

type Props = {
  question: Question;
  answer: Answer | undefined;
  onAnswer: (answer: Answer) => void;
};

export function NumberField({ question, answer, onAnswer }: Props) {
  const id = useId();
  const text = answer?.text ?? "";
  const [isLeft, setIsLeft] = useState(text !== ""); // restored from a draft
  const reading = text.trim() ? readNumber(text, question.number_format, question.unit) : null;
  const isWrong = isLeft && text.trim() !== "" && !reading;
  const leave = (): void => {
    setIsLeft(true);
    if (reading?.other)
      announce(t("Read as {number}, not {other}", { number: reading.shown, other: reading.other }));
    else if (reading) announce(t("Read as {number}", { number: reading.shown }));
  };
  return (
    <div className="stack gap-2">
      <div className="numfield">
        <label className="vh" htmlFor={id}>
          {question.unit ? t("Your answer in {unit}", { unit: question.unit }) : t("Your answer")}
        </label>
        <input
          className="input"
          id={id}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          value={text}
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => onAnswer({ text: target.value })}
          onBlur={leave}
          onFocus={() => setIsLeft(false)}
        />
        {question.unit && <span aria-hidden="true">{question.unit}</span>}
      </div>
      {isWrong ? (
        <p className="field__error" id={`${id}-hint`}>
          <Icon name="circle-alert" />
          {question.unit
            ? t("This can't be read as one number. Enter a number in {unit}.", {
                unit: question.unit,
              })
            : t("This can't be read as one number. Enter a number such as 12.5 or 3/4.")}
        </p>
      ) : (
        <p className="field__hint" id={`${id}-hint`}>
          {!reading && t("You can write decimals with a point or a comma.")}
          {reading && !reading.other && t("Read as {number}", { number: reading.shown })}
          {reading?.other &&
            t("Read as {number}, not {other}", { number: reading.shown, other: reading.other })}
        </p>
      )}
    </div>
  );
}

export function TextField({ question, answer, onAnswer }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label className="vh" htmlFor={id}>
        {t("Your answer")}
      </label>
      <input
        className="input"
        id={id}
        autoComplete="off"
        maxLength={500}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        value={answer?.text ?? ""}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onAnswer({ text: target.value })}
      />
      <p className="field__hint" id={`${id}-hint`}>
        {hintOf(question)}
      </p>
    </div>
  );
}

const FEW = 200; // characters left from which on screen readers are told

/** A longer answer. It counts code points, as the server does. */
export function EssayField({ question, answer, onAnswer }: Props) {
  const id = useId();
  const text = answer?.text ?? "";
  const left = (question.limit ?? 0) - Array.from(text.trim()).length;
  return (
    <div className="field essay__field">
      <label className="vh" htmlFor={id}>
        {t("Your answer")}
      </label>
      <textarea
        className="textarea"
        id={id}
        rows={10}
        value={text}
        aria-invalid={left < 0 || undefined}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onAnswer({ text: target.value })}
      />
      <p className={left < 0 ? "field__error" : "field__hint essay__count"} id={`${id}-hint`}>
        {left < 0
          ? tn("{count} character too long", "{count} characters too long", -left)
          : tn("{count} character left", "{count} characters left", left)}
      </p>
      <span className="vh" role="status">
        {left >= 0 && left <= FEW && left % 50 === 0
          ? tn("{count} character left", "{count} characters left", left)
          : ""}
      </span>
    </div>
  );
}

function hintOf(question: Question): string {
  if (question.is_case_sensitive)
    return question.ignores_accents
      ? t("Capital letters matter, accents don't.")
      : t("Capital letters and accents matter.");
  return question.ignores_accents
    ? t("Capital letters and accents don't matter.")
    : t("Capital letters don't matter, accents do.");
}

/** A select for each line of the left side. */
export function Matching({ question, answer, onAnswer }: Props) {
  const id = useId();
  const pairs = answer?.pairs ?? {};
  return (
    <ul className="match">
      {question.left.map((line) => (
        <li key={line.id}>
          <label htmlFor={`${id}-${line.id}`}>
            <Html html={line.html} />
          </label>
          <select
            className="select"
            id={`${id}-${line.id}`}
            // Not every screen reader takes a formula from a label.
            aria-label={nameOf(line.html)}
            value={pairs[line.id] ?? ""}
            onChange={({ target }) => onAnswer({ pairs: { ...pairs, [line.id]: target.value } })}
          >
            <option value="">{t("Choose one")}</option>
            {question.right.map((partner) => (
              <option key={partner.id} value={partner.id}>
                {plain(partner.html)}
              </option>
            ))}
          </select>
        </li>
      ))}
    </ul>
  );
}

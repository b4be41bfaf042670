import { useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

import { announce } from "../announce";
import { t } from "../i18n";
import { plain } from "./Html";
import { readNumber } from "./numbers";
import type { Answer } from "./state";
import type { Gap, Question } from "./types";

type Props = {
  question: Question;
  answer: Answer | undefined;
  heading: string;
  onAnswer: (answer: Answer) => void;
};

/** A text with its fields: each is rendered into the place that the server has left for it. */
export function Gaps({ question, answer, heading, onAnswer }: Props) {
  const text = useRef<HTMLDivElement>(null);
  const [places, setPlaces] = useState<ReadonlyMap<string, Element>>(new Map());
  useLayoutEffect(() => {
    const found = [...(text.current?.querySelectorAll<HTMLElement>("[data-gap]") ?? [])];
    setPlaces(new Map(found.map((place) => [place.dataset.gap ?? "", place])));
  }, [question.prompt_html]);
  const given = answer?.gaps ?? {};
  return (
    <>
      <GapText html={question.prompt_html} heading={heading} ref={text} />
      {question.gaps.map((gap, index) => {
        const place = places.get(gap.number);
        if (!place) return null;
        const label = t("Gap {place} of {total}", {
          place: index + 1,
          total: question.gaps.length,
        });
        return createPortal(
          <GapField
            gap={gap}
            label={label}
            question={question}
            value={given[gap.number] ?? ""}
            onChange={(value) => onAnswer({ gaps: { ...given, [gap.number]: value } })}
          />,
          place,
          gap.number,
        );
      })}
    </>
  );
}

type TextProps = { html: string; heading: string; ref: React.Ref<HTMLDivElement> };

/** The text by itself: React leaves its elements alone as long as the HTML is the same. */
function GapText({ html, heading, ref }: TextProps) {
  return (
    <div
      className="gaps prose"
      role="group"
      aria-labelledby={heading}
      ref={ref}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

type FieldProps = {
  gap: Gap;
  label: string;
  question: Question;
  value: string;
  onChange: (value: string) => void;
};

function GapField({ gap, label, question, value, onChange }: FieldProps) {
  const id = useId();
  const [isLeft, setIsLeft] = useState(value !== ""); // restored from a draft
  const unit = gap.unit && t("in {unit}", { unit: gap.unit });
  const name = (
    <label className="vh" htmlFor={id}>
      {unit ? `${label}, ${unit}` : label}
    </label>
  );
  if (gap.kind === "single")
    return (
      <>
        {name}
        <select
          className="select"
          id={id}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">{t("Choose one")}</option>
          {gap.options.map((option) => (
            <option key={option.id} value={option.id}>
              {plain(option.html)}
            </option>
          ))}
        </select>
      </>
    );
  const isNumber = gap.kind === "numeric";
  const reading =
    isNumber && value.trim() ? readNumber(value, question.number_format, gap.unit) : null;
  const isWrong = isNumber && isLeft && value.trim() !== "" && !reading;
  const hint = isWrong
    ? t("This can't be read as one number. Enter a number such as 12.5 or 3/4.")
    : reading?.other
      ? t("Read as {number}, not {other}", { number: reading.shown, other: reading.other })
      : "";
  return (
    <>
      {name}
      <input
        className="input"
        id={id}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        maxLength={isNumber ? 100 : 500}
        value={value}
        aria-invalid={isWrong || undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ target }) => onChange(target.value)}
        onFocus={() => setIsLeft(false)}
        onBlur={() => {
          setIsLeft(true);
          if (hint) announce(hint);
        }}
      />
      {gap.unit && (
        <span className="gap__unit" aria-hidden="true">
          {gap.unit}
        </span>
      )}
      {hint && (
        <span className={isWrong ? "field__error" : "field__hint"} id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </>
  );
}

import type { KeyboardEvent } from "react";

import { t } from "../i18n";
import { Icon } from "../ui/Icon";
import type { Question } from "./types";
import { Html, nameOf } from "./Html";
import { type Answer, toggled } from "./state";

type Props = {
  question: Question;
  answer: Answer | undefined;
  heading: string;
  onAnswer: (answer: Answer) => void;
};

export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Options as radio buttons or checkboxes. A letter chooses an option and moves the focus to it. */
export function Choices({ question, answer, heading, onAnswer }: Props) {
  const isMultiple = question.kind === "multiple";
  const options =
    question.kind === "truth"
      ? [
          { id: "true", html: t("True") },
          { id: "false", html: t("False") },
        ]
      : question.options;
  const chosen = chosenOf(question, answer);

  const pick = (id: string): void => {
    if (question.kind === "truth") onAnswer({ value: id === "true" });
    else if (isMultiple) onAnswer({ ids: toggled(answer?.ids, id) });
    else onAnswer({ id });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
    const place = LETTERS.indexOf(event.key.toUpperCase());
    const option = place >= 0 ? options[place] : undefined;
    if (!option) return;
    pick(option.id);
    // The arrow keys continue from here.
    const inputs = event.currentTarget.closest(".answers")?.querySelectorAll("input");
    inputs?.[place]?.focus();
  };

  return (
    <div className="answers" role={isMultiple ? "group" : "radiogroup"} aria-labelledby={heading}>
      {options.map((option, place) => (
        <label key={option.id} className="answer answer--pick">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            name={question.uid}
            value={option.id}
            aria-label={nameOf(option.html)}
            checked={chosen.includes(option.id)}
            onChange={() => pick(option.id)}
            onKeyDown={onKeyDown}
          />
          <span className="answer__box">
            {isMultiple ? (
              <span className="tickbox" aria-hidden="true">
                <Icon name="check" />
              </span>
            ) : (
              <kbd aria-hidden="true">{LETTERS[place]}</kbd>
            )}
            <Html html={option.html} />
          </span>
        </label>
      ))}
    </div>
  );
}

function chosenOf(question: Question, answer: Answer | undefined): string[] {
  if (question.kind === "truth") return answer?.value === undefined ? [] : [String(answer.value)];
  if (question.kind === "multiple") return answer?.ids ?? [];
  return answer?.id ? [answer.id] : [];
}

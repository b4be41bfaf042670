import { useRef } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";

type Props = {
  lines: readonly string[];
  most: number;
  isDisabled: boolean;
  describedBy: string | undefined;
  onChange: (lines: string[]) => void;
  onEnter: () => void;
};

/** What learners will be able to do, a line each. Enter adds a line, Alt with an arrow key moves one. */
export function Outcomes({ lines, most, isDisabled, describedBy, onChange, onEnter }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const shown = lines.length > 0 ? lines : [""];
  const focus = (index: number): void => {
    requestAnimationFrame(() => list.current?.querySelectorAll("input")[index]?.focus());
  };
  const change = (index: number, text: string): void =>
    onChange(shown.map((line, at) => (at === index ? text : line)));
  const add = (index: number): void => {
    if (shown.length >= most) return;
    onChange([...shown.slice(0, index + 1), "", ...shown.slice(index + 1)]);
    focus(index + 1);
  };
  const remove = (index: number): void => {
    onChange(shown.filter((_, at) => at !== index));
    announce(t("Outcome removed."));
    focus(Math.max(0, index - 1));
  };
  const move = (index: number, to: number): void => {
    if (to < 0 || to >= shown.length) return;
    const rest = shown.filter((_, at) => at !== index);
    onChange([...rest.slice(0, to), shown[index] ?? "", ...rest.slice(to)]);
    announce(t("Outcome moved to place {number}.", { number: to + 1 }));
    focus(to);
  };
  return (
    <>
      <ol ref={list} className="reorder" id="wizard-outcomes">
        {shown.map((line, index) => (
          // Lines have no identity of their own: their place is it.
          <li key={index} className="wizard__line">
            <span className="wizard__moves">
              <button
                type="button"
                className="icon-btn icon-btn--sm"
                disabled={isDisabled || index === 0}
                aria-label={t("Move outcome {number} up", { number: index + 1 })}
                onClick={() => move(index, index - 1)}
              >
                <Icon name="arrow-up" />
              </button>
              <button
                type="button"
                className="icon-btn icon-btn--sm"
                disabled={isDisabled || index === shown.length - 1}
                aria-label={t("Move outcome {number} down", { number: index + 1 })}
                onClick={() => move(index, index + 1)}
              >
                <Icon name="arrow-down" />
              </button>
            </span>
            <input
              className="input"
              value={line}
              maxLength={200}
              disabled={isDisabled}
              aria-label={t("Outcome {number}", { number: index + 1 })}
              aria-describedby={describedBy}
              onFocus={onEnter}
              onChange={({ target }) => change(index, target.value)}
              onKeyDown={(event) => {
                if (event.nativeEvent.isComposing) return;
                if (event.key === "Enter") {
                  event.preventDefault();
                  add(index);
                } else if (event.altKey && event.key === "ArrowUp") move(index, index - 1);
                else if (event.altKey && event.key === "ArrowDown") move(index, index + 1);
                else if (event.key === "Backspace" && line === "" && shown.length > 1) {
                  event.preventDefault();
                  remove(index);
                }
              }}
            />
            <button
              type="button"
              className="icon-btn icon-btn--sm"
              disabled={isDisabled || (shown.length === 1 && line === "")}
              aria-label={t("Remove outcome {number}", { number: index + 1 })}
              onClick={() => remove(index)}
            >
              <Icon name="trash-2" />
            </button>
          </li>
        ))}
      </ol>
      <div>
        <button
          type="button"
          className="btn btn--sm"
          disabled={isDisabled || shown.length >= most}
          onClick={() => add(shown.length - 1)}
        >
          <Icon name="plus" />
          {t("Add an outcome")}
        </button>
      </div>
    </>
  );
}

import { type PointerEvent, useLayoutEffect, useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { followDrag } from "../../shared/drag";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";

type Props = {
  lines: readonly string[];
  most: number;
  isDisabled: boolean;
  describedBy: string | undefined;
  onChange: (lines: string[]) => void;
};

/**
 * What learners will be able to do, a line each. Enter adds a line. The handle moves one: by dragging, or with the arrow
 * keys; in a line, the arrow keys do it with Alt.
 */
export function Outcomes({ lines, most, isDisabled, describedBy, onChange }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const [moving, setMoving] = useState(-1);
  const shown = lines.length > 0 ? lines : [""];
  const latest = useRef(shown);
  latest.current = shown;
  // At once, before the next key: what is typed goes to the new line.
  const wanted = useRef<{ index: number; what: string } | null>(null);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const { index, what } = wanted.current;
    wanted.current = null;
    list.current?.children[index]?.querySelector<HTMLElement>(what)?.focus();
  });
  const focus = (index: number, what = "input"): void => {
    wanted.current = { index, what };
  };
  const change = (index: number, text: string): void =>
    onChange(shown.map((line, at) => (at === index ? text : line)));
  const add = (index: number): void => {
    if (shown.length >= most) return;
    focus(index + 1);
    onChange([...shown.slice(0, index + 1), "", ...shown.slice(index + 1)]);
  };
  const remove = (index: number): void => {
    focus(Math.max(0, index - 1));
    onChange(shown.filter((_, at) => at !== index));
    announce(t("Outcome removed."));
  };
  const put = (index: number, to: number): boolean => {
    const now = latest.current;
    if (to < 0 || to >= now.length || to === index) return false;
    const rest = now.filter((_, at) => at !== index);
    const next = [...rest.slice(0, to), now[index] ?? "", ...rest.slice(to)];
    latest.current = next; // until it is rendered
    onChange(next);
    return true;
  };
  const move = (index: number, to: number, what: string): void => {
    focus(to, what);
    if (put(index, to)) announce(t("Outcome moved to place {number}.", { number: to + 1 }));
    else wanted.current = null;
  };
  const drag = (event: PointerEvent<HTMLButtonElement>, start: number): void => {
    if (event.button !== 0) return;
    const before = [...latest.current];
    let at = start;
    setMoving(at);
    followDrag(event.currentTarget, event, {
      onMove: ({ clientY }) => {
        const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
        const to = rows.findIndex(({ bottom }) => clientY < bottom);
        const next = to < 0 ? rows.length - 1 : to;
        if (put(at, next)) {
          at = next;
          setMoving(next);
        }
      },
      onEnd: (isDropped) => {
        setMoving(-1);
        if (!isDropped) onChange(before);
        else if (at !== start) announce(t("Outcome moved to place {number}.", { number: at + 1 }));
      },
    });
  };
  return (
    <>
      <ol ref={list} className="reorder" id="wizard-outcomes">
        {shown.map((line, index) => (
          // Lines have no identity of their own: their place is it.
          <li key={index} className={moving === index ? "is-moving" : undefined}>
            <button
              type="button"
              className="grip wizard__grip"
              disabled={isDisabled || shown.length === 1}
              aria-label={t("Move outcome {number}", { number: index + 1 })}
              onPointerDown={(event) => drag(event, index)}
              onKeyDown={(event) => {
                const to = { ArrowUp: index - 1, ArrowDown: index + 1 }[event.key];
                if (to === undefined) return;
                event.preventDefault();
                move(index, to, ".grip");
              }}
            >
              <Icon name="grip-vertical" />
            </button>
            <input
              className="input"
              value={line}
              maxLength={200}
              disabled={isDisabled}
              data-field="outcomes"
              aria-label={t("Outcome {number}", { number: index + 1 })}
              aria-describedby={describedBy}
              onChange={({ target }) => change(index, target.value)}
              onKeyDown={(event) => {
                if (event.nativeEvent.isComposing) return;
                if (event.key === "Enter") {
                  event.preventDefault();
                  add(index);
                } else if (event.altKey && event.key === "ArrowUp") move(index, index - 1, "input");
                else if (event.altKey && event.key === "ArrowDown") move(index, index + 1, "input");
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

import { type PointerEvent, useLayoutEffect, useRef, useState } from "react";

import { announce } from "../announce";
import { followDrag } from "../drag";
import { t } from "../i18n";
import { Icon } from "../ui/Icon";
import type { Question } from "./types";
import { Html, plain } from "./Html";
import { type Answer, moved, orderOf } from "./state";

type Props = {
  question: Question;
  answer: Answer | undefined;
  onAnswer: (answer: Answer) => void;
};

/** A list to put in order, by buttons or by dragging the grip. */
export function Ordering({ question, answer, onAnswer }: Props) {
  const order = orderOf(question, answer);
  const list = useRef<HTMLOListElement>(null);
  const [held, setHeld] = useState<string | null>(null);
  const focus = useFocusAfterMove(list);
  const texts = new Map(question.options.map(({ id, html }) => [id, html]));

  const move = (from: number, to: number): void => {
    if (to < 0 || to >= order.length || from === to) return;
    onAnswer({ ids: moved(order, from, to) });
    announce(
      t("{step} is now step {place} of {total}", {
        step: plain(texts.get(order[from] ?? "") ?? ""),
        place: to + 1,
        total: order.length,
      }),
    );
  };
  const step = (id: string, from: number, by: -1 | 1): void => {
    focus(id, by === -1 ? "up" : "down");
    move(from, from + by);
  };

  const moveTo = (id: string, y: number): void => {
    const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
    const to = rows.findIndex(({ bottom }) => y < bottom);
    move(order.indexOf(id), to === -1 ? order.length - 1 : to);
  };
  // A drag lasts longer than a rendering, and each of its moves changes the order.
  const latestMoveTo = useRef(moveTo);
  useLayoutEffect(() => {
    latestMoveTo.current = moveTo;
  });
  const drag = ({ currentTarget, pointerId }: PointerEvent<HTMLElement>, id: string): void => {
    setHeld(id);
    followDrag(
      currentTarget,
      { pointerId },
      {
        onMove: ({ clientY }) => latestMoveTo.current(id, clientY),
        onEnd: () => setHeld(null),
      },
    );
  };

  return (
    <ol className="order" ref={list}>
      {order.map((id, place) => (
        <li key={id} data-step={id} className={held === id ? "is-held" : undefined}>
          {/* Hidden from screen readers: the buttons beside it do the same. */}
          <span className="grip" aria-hidden="true" onPointerDown={(event) => drag(event, id)}>
            <Icon name="grip-vertical" />
          </span>
          <span className="order__n">{place + 1}</span>
          <Html html={texts.get(id) ?? ""} />
          <span className="order__b">
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              data-move="up"
              aria-label={t("Move step {number} up", { number: place + 1 })}
              disabled={place === 0}
              onClick={() => step(id, place, -1)}
            >
              <Icon name="arrow-up" />
            </button>
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              data-move="down"
              aria-label={t("Move step {number} down", { number: place + 1 })}
              disabled={place === order.length - 1}
              onClick={() => step(id, place, 1)}
            >
              <Icon name="arrow-down" />
            </button>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Keep the focus on the button of the moved row; where it is disabled at an end, focus the other one. */
function useFocusAfterMove(list: React.RefObject<HTMLOListElement | null>) {
  const wanted = useRef<{ id: string; by: "up" | "down" } | null>(null);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const { id, by } = wanted.current;
    wanted.current = null;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-step]") ?? [])];
    const row = rows.find(({ dataset }) => dataset.step === id);
    const buttons = [...(row?.querySelectorAll<HTMLButtonElement>("[data-move]") ?? [])];
    const same = buttons.find(({ dataset, disabled }) => dataset.move === by && !disabled);
    (same ?? buttons.find(({ disabled }) => !disabled))?.focus();
  });
  return (id: string, by: "up" | "down"): void => {
    wanted.current = { id, by };
  };
}

import type { CSSProperties } from "react";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";

/** Where a payment is: the order is made; the bank decides; the bank asks the user; the course opens. */
export type Stage = "checking" | "bank" | "asked" | "paid";

type Props = { stage: Stage; number: string; total: string };

type Step = { label: string; state: "done" | "now" | "next"; isHeld?: boolean };

function stepsOf(stage: Stage): Step[] {
  const at = { checking: 0, bank: 1, asked: 1, paid: 3 }[stage];
  const labels = [
    t("Card checked"),
    stage === "asked" ? t("Waiting for you") : t("Bank check"),
    t("Paid"),
    t("Course open"),
  ];
  return labels.map((label, index) => ({
    label,
    state: index < at ? "done" : index === at ? "now" : "next",
    isHeld: index === at && stage === "asked",
  }));
}

const fill = { done: 100, now: 60, next: 0 };

function words(stage: Stage): { title: string; text: string } {
  if (stage === "asked")
    return {
      title: t("Your bank needs to confirm it's you"),
      text: t(
        "Confirm in your bank's window or app. This page updates automatically.",
      ),
    };
  if (stage === "paid")
    return { title: t("Paid"), text: t("The course is open. One moment, we're taking you there.") };
  return {
    title: t("Checking with your bank"),
    text: t("This usually takes a few seconds. You can close this page: we'll finish without it."),
  };
}

/** What the user sees between "Pay" and the open course. */
export function Waiting({ stage, number, total }: Props) {
  const { title, text } = words(stage);
  return (
    <section className="panel wait" aria-busy="true" aria-labelledby="wait-title">
      <div className="wait__head">
        {stage === "asked" ? (
          <Icon name="smartphone" className="i--lg" />
        ) : (
          <span className="spin" aria-hidden="true" />
        )}
        <div role="status">
          <h2 className="h4" id="wait-title">
            {title}
          </h2>
          <p className="muted">{text}</p>
        </div>
      </div>
      <ol className="stages stages--4">
        {stepsOf(stage).map(({ label, state, isHeld }) => (
          <li
            key={label}
            className={`is-${state}${isHeld ? " is-held" : ""}`}
            aria-current={state === "now" ? "step" : undefined}
            style={{ "--v": fill[state] } as CSSProperties}
          >
            <span>{label}</span>
          </li>
        ))}
      </ol>
      <p className="small faint num">
        {number === "" ? total : t("Order {number}, {total}", { number, total })}
      </p>
    </section>
  );
}

import { type CSSProperties, useEffect, useState } from "react";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";

/** Where a payment is: the order is made; the bank decides; the bank asks the user; the course opens. */
export type Stage = "checking" | "bank" | "asked" | "paid";

/** After this time the page offers to go on without waiting: the provider may not answer at all. */
export const LONG_WAIT_MS = 30_000;

type Props = { stage: Stage; uid: string; number: string; total: string };

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
      text: t("Confirm in your bank's window or app. This page updates automatically."),
    };
  if (stage === "paid")
    return { title: t("Paid"), text: t("The course is open. One moment, we're taking you there.") };
  return {
    title: t("Checking with your bank"),
    text: t("This usually takes a few seconds. You can close this page: we'll finish without it."),
  };
}

/** What the user sees between "Pay" and the open course. */
export function Waiting({ stage, uid, number, total }: Props) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
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
      {isLong && stage !== "paid" && (
        <div className="notice notice--warning" role="status">
          <Icon name="clock" className="notice__icon" />
          <p className="notice__title">{t("This is taking longer than usual")}</p>
          <p className="notice__body">
            {uid === ""
              ? t("The order hasn't been made yet, so nothing was charged.")
              : t(
                  "Your order is saved. If your bank approves, the course opens and you get a receipt. You won't be charged twice.",
                )}
          </p>
          <div className="notice__acts">
            {uid === "" ? (
              <button className="btn btn--sm" type="button" onClick={() => location.reload()}>
                {t("Start again")}
              </button>
            ) : (
              <a className="btn btn--sm" href={`/payment-success?order=${uid}`}>
                {t("See your order")}
              </a>
            )}
          </div>
        </div>
      )}
      <p className="small faint num">
        {number === "" ? total : t("Order {number}, {total}", { number, total })}
      </p>
    </section>
  );
}

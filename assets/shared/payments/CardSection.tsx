import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";

import { t } from "../i18n";
import { Icon } from "../ui/Icon";
import { CardFields, NoCardFields } from "./CardFields";
import type { SavedCard } from "./cards";
import { Methods } from "./Methods";

/** What the provider's fields for a card are doing. */
type Form = { state: "loading" | "ready" | "failed"; retry: () => void };

type Props = {
  form: Form;
  /** The element into which the provider puts its frame. */
  spot: RefObject<HTMLDivElement | null>;
  cards: SavedCard[];
  /** The uid of a saved card; empty: another card. */
  chosen: string;
  onChoose: (card: string) => void;
  /** What is said about paying by bank transfer; missing: that isn't offered. */
  transfer?: ReactNode;
  /** What follows the fields of another card. */
  children?: ReactNode;
};

/** "How would you like to pay?": saved cards, the provider's fields for another one, and perhaps a bank transfer. */
export function CardSection({ form, spot, cards, chosen, onChoose, transfer, children }: Props) {
  const hasFields = form.state !== "failed";
  return (
    <section aria-labelledby="pay-how">
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id="pay-how">
          {t("How would you like to pay?")}
        </h2>
        <span className="small faint pay__safe">
          <Icon name="lock" />
          {t("Encrypted, stored by the provider")}
        </span>
      </div>
      {!hasFields && <NoCardFields onRetry={form.retry} />}
      {(hasFields || transfer) && (
        <Methods cards={cards} chosen={chosen} onChoose={onChoose} transfer={transfer}>
          {hasFields && <CardFields state={form.state} spot={spot} />}
          {children}
        </Methods>
      )}
    </section>
  );
}

/** The uid of the card to pay with, and how to choose another: at first a saved card that works, else a new one. */
export function useChosenCard(cards: SavedCard[]): [string, (card: string) => void] {
  return useState(
    () => cards.find(({ is_expired, declined_on }) => !is_expired && declined_on === "")?.uid ?? "",
  );
}

type FailureProps = {
  title?: string;
  /** What the bank or the provider said; empty: nothing failed. */
  message: string;
  /** What else the user should know. */
  note?: string;
  /** What the user can do. */
  children?: ReactNode;
};

/** A card that was refused. The page scrolls to it, as the button is far below. */
export function CardFailure({ title, message, note, children }: FailureProps) {
  const told = useRef<HTMLElement>(null);
  useEffect(() => {
    if (message !== "") told.current?.scrollIntoView({ block: "center" });
  }, [message]);
  if (message === "") return null;
  return (
    <section ref={told} className="notice notice--error" role="alert">
      <Icon name="credit-card" className="notice__icon" />
      <p className="notice__title">{title ?? t("The payment did not go through")}</p>
      <p className="notice__body">
        {/[.!?]$/.test(message) ? message : `${message}.`} {t("Nothing was charged.")}
        {note && ` ${note}`}
      </p>
      {children && <div className="notice__acts">{children}</div>}
    </section>
  );
}

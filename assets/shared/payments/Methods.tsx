import type { ReactNode } from "react";

import { t } from "../i18n";
import { Icon } from "../ui/Icon";
import type { SavedCard } from "./cards";

export const nameOf = ({ brand, last4 }: SavedCard): string => `${brand} •••• ${last4}`;

function stateOf({ expiry, is_expired, declined_on }: SavedCard): string {
  if (is_expired) return t("Expired {date}", { date: expiry });
  if (declined_on !== "") return t("Declined on {date}", { date: declined_on });
  return t("Expires {date}", { date: expiry });
}

/** Stands for a bank transfer where the uid of a card is expected. */
export const TRANSFER = "transfer";

type Props = {
  cards: SavedCard[];
  /** The uid of a saved card; empty: another card. */
  chosen: string;
  onChoose: (card: string) => void;
  /** The fields of another card. */
  children: ReactNode;
  /** What is said about paying by bank transfer; missing: that isn't offered. */
  transfer?: ReactNode;
};

/** Saved cards, another one, and perhaps a bank transfer. */
export function Methods({ cards, chosen, onChoose, children, transfer }: Props) {
  return (
    <div className="methods" role="radiogroup" aria-labelledby="pay-how">
      {cards.map((card) => (
        <div key={card.uid}>
          <label className="methods__pick check">
            <input
              type="radio"
              name="method"
              disabled={card.is_expired}
              checked={chosen === card.uid}
              onChange={() => onChoose(card.uid)}
            />
            <Icon name="credit-card" />
            <span>
              <b className="medium">{card.brand}</b> <span className="num">•••• {card.last4}</span>
              <span className="small faint methods__when">{stateOf(card)}</span>
            </span>
            <Mark card={card} />
          </label>
        </div>
      ))}
      <div>
        <label className="methods__pick check">
          <input type="radio" name="method" checked={chosen === ""} onChange={() => onChoose("")} />
          <Icon name="plus" />
          <span>
            <b className="medium">{cards.length > 0 ? t("Another card") : t("Card")}</b>
          </span>
          <span />
        </label>
        <div className="methods__more" hidden={chosen !== ""}>
          {children}
        </div>
      </div>
      {transfer && (
        <div>
          <label className="methods__pick check">
            <input
              type="radio"
              name="method"
              checked={chosen === TRANSFER}
              onChange={() => onChoose(TRANSFER)}
            />
            <Icon name="landmark" />
            <span>
              <b className="medium">{t("Bank transfer")}</b>
              <span className="small faint methods__when">{t("You get an invoice first")}</span>
            </span>
            <span />
          </label>
          <div className="methods__more" hidden={chosen !== TRANSFER}>
            {transfer}
          </div>
        </div>
      )}
    </div>
  );
}

function Mark({ card }: { card: SavedCard }) {
  if (card.is_expired || card.declined_on !== "")
    return (
      <span className="badge badge--error">
        <span className="pip pip--bar" aria-hidden="true" />
        {card.is_expired ? t("Expired") : t("Declined")}
      </span>
    );
  if (!card.is_default) return <span />;
  return (
    <span className="badge badge--accent">
      <span className="pip pip--full" aria-hidden="true" />
      {t("Default")}
    </span>
  );
}

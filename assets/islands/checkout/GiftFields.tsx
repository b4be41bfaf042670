import { t } from "../../shared/i18n";
import { Fault, type Faults, tie } from "./Fault";

/** What the buyer says about a gift; the day as "2026-11-26". */
export type GiftTerms = {
  sender_name: string;
  recipient_name: string;
  recipient_email: string;
  message: string;
  send_on: string;
};

export const MAX_MESSAGE_LENGTH = 500;

type Props = {
  gift: GiftTerms;
  /** The first and the last day on which it can be sent, in the time zone of the buyer. */
  today: string;
  lastDay: string;
  zone: string;
  faults: Faults;
  onChange: (next: GiftTerms) => void;
};

/** To whom a gift goes, and when. */
export function GiftFields({ gift, today, lastDay, zone, faults, onChange }: Props) {
  const set = (name: keyof GiftTerms) => (event: { target: { value: string } }) =>
    onChange({ ...gift, [name]: event.target.value });
  return (
    <section aria-labelledby="pay-gift">
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id="pay-gift">
          {t("Who is it for?")}
        </h2>
      </div>
      <div className="pay__two">
        <div className="field">
          <label className="field__label" htmlFor="pay-recipient">
            {t("Recipient's name")}
          </label>
          <input
            className="input"
            id="pay-recipient"
            autoComplete="off"
            maxLength={120}
            required
            value={gift.recipient_name}
            {...tie("recipient", faults)}
            onChange={set("recipient_name")}
          />
          <Fault of="recipient" faults={faults} />
        </div>
        <div className="field">
          <label className="field__label" htmlFor="pay-address">
            {t("Recipient's email")}
          </label>
          <input
            className="input"
            id="pay-address"
            type="email"
            autoComplete="off"
            required
            value={gift.recipient_email}
            {...tie("address", faults)}
            onChange={set("recipient_email")}
          />
          <Fault of="address" faults={faults} />
        </div>
        <div className="field">
          <label className="field__label" htmlFor="pay-sender">
            {t("Your name")}
          </label>
          <input
            className="input"
            id="pay-sender"
            autoComplete="name"
            maxLength={120}
            required
            value={gift.sender_name}
            {...tie("sender", faults)}
            onChange={set("sender_name")}
          />
          <Fault of="sender" faults={faults} />
        </div>
        <div className="field">
          <label className="field__label" htmlFor="pay-day">
            {t("Send it on")}
          </label>
          <input
            className="input"
            id="pay-day"
            type="date"
            min={today}
            max={lastDay}
            required
            value={gift.send_on}
            {...tie("day", faults)}
            onChange={set("send_on")}
          />
          <Fault of="day" faults={faults} />
        </div>
      </div>
      <div className="field mt-4">
        <div className="field__label">
          <label htmlFor="pay-message">{t("Message")}</label>
          <span className="field__opt">{t("Optional")}</span>
        </div>
        <textarea
          className="textarea"
          id="pay-message"
          rows={3}
          maxLength={MAX_MESSAGE_LENGTH}
          value={gift.message}
          onChange={set("message")}
        />
      </div>
      <p className="small faint mt-3">
        {t("We email the code on that day, in your time zone ({zone}).", { zone })}
      </p>
    </section>
  );
}

/** What is missing of a gift, by the fields. */
export function giftFaultsIn(gift: GiftTerms, today: string, lastDay: string): Faults {
  const faults: Faults = {};
  if (gift.recipient_name.trim() === "") faults.recipient = t("Enter the recipient's name.");
  if (!/^[^\s@]+@[^\s@]+$/.test(gift.recipient_email.trim()))
    faults.address = t("Enter the recipient's email.");
  if (gift.sender_name.trim() === "") faults.sender = t("Enter your name.");
  if (gift.send_on < today || gift.send_on > lastDay)
    faults.day = t("Choose a day from today to a year ahead.");
  return faults;
}

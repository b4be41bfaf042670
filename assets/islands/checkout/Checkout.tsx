import { type FormEvent, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

import { announce } from "../../shared/announce";
import { type ApiError, toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import {
  BuyerFields,
  focusFault,
  missingOf,
  taxFactsOf,
  useBuyer,
} from "../../shared/payments/BuyerFields";
import { CardFailure, CardSection, useChosenCard } from "../../shared/payments/CardSection";
import { Button } from "../../shared/ui/Button";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { type CheckoutProps, getQuote } from "./api";
import { countries } from "../../shared/payments/countries";
import type { Order } from "../../shared/payments/orders";
import { UpdateMethod } from "../../shared/payments/UpdateMethod";
import { nameOf, TRANSFER } from "../../shared/payments/Methods";
import { Fault, type Faults, tie } from "./Fault";
import { GiftFields, giftFaultsIn, type GiftTerms } from "./GiftFields";
import { follow, type Outcome, pay } from "./pay";
import { Summary } from "./Summary";
import { type Load, useCardForm } from "./useCardForm";
import { type Stage, Waiting } from "./Waiting";

type Props = CheckoutProps & {
  load: Load;
  /** Leave for another page. */
  go: (address: string) => void;
};

type Wait = { stage: Stage; uid: string; number: string };

/** The summary's element, empty: what the server wrote there is replaced. */
function emptySummary(): HTMLElement | null {
  const place = document.querySelector<HTMLElement>("[data-checkout-sum]");
  place?.replaceChildren();
  return place;
}

export function Checkout(props: Props) {
  const { course, bundle, cards, order, go } = props;
  const [summary] = useState(emptySummary);
  const [quote, setQuote] = useState(props.quote);
  const [chosen, setChosen] = useChosenCard(cards);
  const isTransfer = chosen === TRANSFER;
  const [savesCard, setSavesCard] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const [country, setCountry] = useState(props.country);
  const company = useBuyer(props.buyer);
  const [email, setEmail] = useState(props.email);
  const [agrees, setAgrees] = useState(false);
  const [gift, setGift] = useState<GiftTerms | null>(
    () =>
      props.gift && {
        sender_name: props.gift.sender_name,
        recipient_name: "",
        recipient_email: "",
        message: "",
        send_on: props.gift.today,
      },
  );
  const [isApplying, setApplying] = useState(false);
  const [codeRefusal, setCodeRefusal] = useState("");
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const [failure, setFailure] = useState("");
  const [wait, setWait] = useState<Wait | null>(
    order?.status === "processing" ? { stage: "bank", uid: order.uid, number: order.number } : null,
  );
  const isPaying = useRef(false);
  const quotes = useRef(0); // how many quotes were asked for: their answers may arrive in another order
  const spot = useRef<HTMLDivElement>(null);
  const isFree = quote.total === 0;
  const form = useCardForm({
    spot,
    load: props.load,
    props: props.provider,
    amount: quote.provider_total,
    currency: quote.currency,
    isShown: chosen === "",
    savesCard: savesCard && chosen === "",
  });

  const progress = (stage: Stage, begun: Pick<Order, "uid" | "number"> | null): void =>
    setWait((before) => ({
      stage,
      uid: begun?.uid ?? before?.uid ?? "",
      number: begun?.number ?? before?.number ?? "",
    }));

  const finish = (outcome: Outcome): void => {
    if (outcome.kind === "left") {
      go(outcome.address);
      return;
    }
    isPaying.current = false;
    setWait(null);
    if (outcome.kind === "refused" && !company.refuse(outcome.error)) setRefusal(outcome.error);
    if (outcome.kind === "failed") setFailure(outcome.message);
  };

  // An earlier visit began to pay: perhaps it has succeeded since.
  const resumed = useRef(false);
  useEffect(() => {
    if (!order || resumed.current) return;
    resumed.current = true;
    const isWaiting = order.status === "processing";
    isPaying.current = isWaiting;
    void follow(order.uid, progress, isWaiting ? undefined : "").then((outcome) => {
      // An order that is still open is continued with the form.
      if (isWaiting || outcome.kind === "left") finish(outcome);
    });
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [order]);

  const applyCode = async (
    code: string,
    inCountry = country,
    facts = taxFactsOf(company.buyer),
  ): Promise<boolean> => {
    const mine = (quotes.current += 1);
    setApplying(true);
    setCodeRefusal("");
    try {
      const wanted = { course, bundle, is_gift: gift !== null };
      const next = await getQuote(wanted, code, inCountry, facts);
      if (mine !== quotes.current) return true; // a later question decides
      setQuote(next);
      if (next.code !== quote.code || next.total !== quote.total)
        announce(t("Due today: {total}", { total: next.texts["total"] ?? "" }));
      return true;
    } catch (thrown) {
      if (mine !== quotes.current) return false;
      const error = toApiError(thrown);
      if (error.is("PROMO_CODE_REFUSED")) setCodeRefusal(error.message);
      else setRefusal(error);
      return false;
    } finally {
      if (mine === quotes.current) setApplying(false);
    }
  };

  const needsCountry = (props.needs_country && !isFree) || company.buyer !== null;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isPaying.current || isApplying) return;
    const ofGift =
      gift && props.gift ? giftFaultsIn(gift, props.gift.today, props.gift.last_day) : {};
    const ofBuyer = faultsIn({ email, country: needsCountry ? country : "any", agrees });
    const found = { ...ofGift, ...ofBuyer };
    setFaults(found);
    const first = Object.keys(found)[0];
    if (first) {
      document.getElementById(`pay-${first}`)?.focus();
      return;
    }
    const missing = company.buyer ? missingOf(company.buyer) : {};
    company.setFaults(missing);
    if (Object.keys(missing).length > 0) {
      focusFault(missing);
      return;
    }
    if (!isFree && !isTransfer && !form.provider) return;
    isPaying.current = true;
    setRefusal(null);
    setFailure("");
    const outcome = await pay(
      {
        course,
        bundle,
        is_gift: gift !== null,
        gift,
        code: quote.code,
        country,
        buyer: company.buyer,
        email,
        total: quote.total,
        currency: quote.currency,
        card: isFree || isTransfer || chosen === "" ? null : chosen,
        saves_card: !isFree && chosen === "" && savesCard,
        agrees,
        method: isTransfer && !isFree ? "transfer" : "card",
      },
      isFree || isTransfer ? null : form.provider,
      progress,
    );
    finish(outcome);
  };

  const total = quote.texts["total"] ?? "";
  const link = { link: "|", days: props.refund_days };
  const [beforeLink, afterLink] = (
    gift || isTransfer
      ? t("I agree to the {link}. I keep my right to a refund within {days} days.", link)
      : t(
          "I agree to the {link} and want the course to open right away. I keep my right to a refund within {days} days.",
          link,
        )
  ).split("|");
  const other = cards.find(({ uid, is_expired }) => uid !== chosen && !is_expired);

  return (
    <>
      {summary &&
        createPortal(
          <Summary
            quote={quote}
            courses={bundle === "" ? 0 : props.course_count}
            isGift={gift !== null}
            isTransfer={isTransfer}
            isFixed={wait !== null}
            isApplying={isApplying}
            refusal={codeRefusal}
            onApply={(code) => void applyCode(code)}
          />,
          summary,
        )}
      {wait && <Waiting {...wait} total={total} />}
      <form
        className="pay__form"
        aria-label={t("Payment")}
        hidden={wait !== null}
        data-many
        noValidate
        onSubmit={(event) => void submit(event)}
      >
        {refusal && (
          <ErrorPanel
            error={refusal}
            handlers={{
              reload: async () => {
                setRefusal(null);
                await applyCode(quote.code);
              },
            }}
            onDismiss={() => setRefusal(null)}
          />
        )}
        <CardFailure
          message={failure}
          note={quote.code && t("{code} is still applied.", { code: quote.code })}
        >
          {other && chosen !== other.uid && (
            <Button
              size="sm"
              onClick={() => {
                setChosen(other.uid);
                setFailure("");
              }}
            >
              {t("Use {card}", { card: nameOf(other) })}
            </Button>
          )}
          <UpdateMethod />
        </CardFailure>
        {gift && props.gift && (
          <GiftFields
            gift={gift}
            today={props.gift.today}
            lastDay={props.gift.last_day}
            zone={props.gift.zone}
            faults={faults}
            onChange={setGift}
          />
        )}
        {!isFree && (
          <CardSection
            form={form}
            spot={spot}
            cards={cards}
            chosen={chosen}
            onChoose={setChosen}
            transfer={props.transfer_days > 0 && <TransferTerms days={props.transfer_days} />}
          >
            <label className="check">
              <input
                type="checkbox"
                checked={savesCard}
                onChange={(event) => setSavesCard(event.target.checked)}
              />
              <span>{t("Save this card for next time")}</span>
            </label>
          </CardSection>
        )}
        <section aria-labelledby="pay-receipt">
          <div className="sec-head sec-head--fine">
            <h2 className="h4" id="pay-receipt">
              {t("Receipt")}
            </h2>
          </div>
          <div className="pay__two">
            <div className="field">
              <label className="field__label" htmlFor="pay-email">
                {t("Send it to")}
              </label>
              <input
                className="input"
                id="pay-email"
                type="email"
                autoComplete="email"
                required
                value={email}
                {...tie("email", faults)}
                onChange={(event) => setEmail(event.target.value)}
              />
              <Fault of="email" faults={faults} />
            </div>
            <div className="field">
              <label className="field__label" htmlFor="pay-country">
                {t("Country")}
              </label>
              <select
                className="select"
                id="pay-country"
                autoComplete="country"
                required={needsCountry}
                value={country}
                {...tie("country", faults)}
                onChange={(event) => {
                  setCountry(event.target.value);
                  if (needsCountry) void applyCode(quote.code, event.target.value);
                }}
              >
                <option value="">{t("Choose a country")}</option>
                <Countries />
              </select>
              <Fault of="country" faults={faults} />
            </div>
          </div>
          {props.needs_country && (
            <p className="small faint mt-3">{t("Your country determines the tax in the price.")}</p>
          )}
          <BuyerFields
            form={company}
            country={country}
            onTaxFacts={(next) => void applyCode(quote.code, country, next)}
          />
        </section>
        <section aria-label={t("Terms")}>
          <label className="check">
            <input
              id="pay-terms"
              type="checkbox"
              required
              checked={agrees}
              {...tie("terms", faults)}
              onChange={(event) => setAgrees(event.target.checked)}
            />
            <span>
              {beforeLink}
              <a className="link" href="/terms" target="_blank">
                {t("terms of sale")}
              </a>
              {afterLink}
            </span>
          </label>
          <Fault of="terms" faults={faults} />
          <div className="row mt-4">
            <Button
              type="submit"
              look="primary"
              size="lg"
              isBusy={isApplying || (!isFree && form.state === "loading" && chosen === "")}
              disabled={!isFree && !isTransfer && form.state === "failed"}
            >
              {isFree ? (
                gift ? (
                  t("Give it")
                ) : bundle === "" ? (
                  t("Get the course")
                ) : (
                  t("Get the bundle")
                )
              ) : isTransfer ? (
                t("Order for {amount}", { amount: total })
              ) : (
                <>
                  <Icon name="lock" />
                  {t("Pay {amount}", { amount: total })}
                </>
              )}
            </Button>
            <a
              className="btn btn--quiet"
              href={bundle === "" ? `/courses/${course}` : `/bundles/${bundle}/`}
            >
              {t("Not now")}
            </a>
          </div>
          {!isFree && (
            <p className="small faint mt-3">
              {isTransfer
                ? t("Nothing is charged now. You can cancel the order until you've paid.")
                : t("You won't be charged until your bank approves.")}
            </p>
          )}
        </section>
      </form>
    </>
  );
}

/** What a buyer should know before ordering by bank transfer. */
function TransferTerms({ days }: { days: number }) {
  return (
    <p className="small muted">
      {t(
        "You get the invoice with our bank details right away, and have {days} days to transfer the amount. It opens once the money has arrived, usually in one to three working days.",
        { days },
      )}
    </p>
  );
}

/** What is missing, in the order of the fields. */
function faultsIn(given: { email: string; country: string; agrees: boolean }): Faults {
  const faults: Faults = {};
  if (!/^[^\s@]+@[^\s@]+$/.test(given.email.trim())) faults.email = t("Enter your email address.");
  if (!given.country) faults.country = t("Choose a country.");
  if (!given.agrees) faults.terms = t("To buy, agree to the terms of sale.");
  return faults;
}

function Countries() {
  const [all] = useState(countries);
  return all.map(([code, name]) => (
    <option key={code} value={code}>
      {name}
    </option>
  ));
}

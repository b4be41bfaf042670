import { type CSSProperties, type FormEvent, useRef, useState } from "react";
import { createPortal } from "react-dom";

import { announce } from "../../shared/announce";
import { type ApiError, toApiError } from "../../shared/api/errors";
import { t, tn } from "../../shared/i18n";
import {
  BuyerFields,
  focusFault,
  missingOf,
  taxFactsOf,
  useBuyer,
} from "../../shared/payments/BuyerFields";
import { CardFailure, CardSection, useChosenCard } from "../../shared/payments/CardSection";
import { type Load, useSetupForm } from "../../shared/payments/useSetupForm";
import { UpdateMethod } from "../../shared/payments/UpdateMethod";
import { Button } from "../../shared/ui/Button";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { activate, type Stage } from "./activate";
import { getTerms, payDue, type PremiumProps, subscribe } from "./api";
import { CountryField } from "./CountryField";
import { Summary } from "./Summary";

type Props = PremiumProps & {
  load: Load;
  /** Leave for another page. */
  go: (address: string) => void;
};

/** The summary's element, empty: what the server wrote there is replaced. A due payment has none. */
function emptySummary(): HTMLElement | null {
  const place = document.querySelector<HTMLElement>("[data-premium-sum]");
  place?.replaceChildren();
  return place;
}

export function Premium(props: Props) {
  const { mode, cards, next, go } = props;
  const isNew = mode === "subscribe";
  const [summary] = useState(emptySummary);
  const [terms, setTerms] = useState(props.terms);
  const [country, setCountry] = useState(props.country);
  const [email, setEmail] = useState(props.email);
  const company = useBuyer(props.buyer);
  const [chosen, setChosen] = useChosenCard(cards);
  const [codeRefusal, setCodeRefusal] = useState("");
  const [agrees, setAgrees] = useState(false);
  const [hasTried, setTried] = useState(false);
  const lacksTerms = hasTried && isNew && !agrees;
  const needsCountry = props.needs_country || company.buyer !== null;
  const lacksEmail = hasTried && isNew && !isEmail(email);
  const lacksCountry = hasTried && isNew && needsCountry && country === "";
  const [isBusy, setBusy] = useState(false);
  const [stage, setStage] = useState<Stage | null>(null);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const [failure, setFailure] = useState("");
  const [isWaiting, setWaiting] = useState(false);
  const isPaying = useRef(false);
  const spot = useRef<HTMLDivElement>(null);
  const form = useSetupForm({
    spot,
    load: props.load,
    props: props.provider,
    currency: terms.currency,
    isShown: chosen === "",
  });

  const apply = async (
    text: string,
    inCountry = country,
    facts = taxFactsOf(company.buyer),
  ): Promise<void> => {
    setBusy(true);
    setCodeRefusal("");
    try {
      const next = await getTerms(terms.plan, text, inCountry, facts);
      setTerms(next);
      announce(t("First payment: {total}", { total: next.texts["total"] ?? "" }));
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.is("PROMO_CODE_REFUSED")) setCodeRefusal(error.message);
      else setRefusal(error);
    } finally {
      setBusy(false);
    }
  };

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isPaying.current || isBusy) return;
    setTried(true);
    if (isNew && !isEmail(email)) {
      document.getElementById("premium-email")?.focus();
      return;
    }
    if (isNew && needsCountry && country === "") {
      document.getElementById("premium-country")?.focus();
      return;
    }
    const missing = isNew && company.buyer ? missingOf(company.buyer) : {};
    company.setFaults(missing);
    if (Object.keys(missing).length > 0) {
      focusFault(missing);
      return;
    }
    if (isNew && !agrees) {
      document.getElementById("premium-terms")?.focus();
      return;
    }
    if (!form.provider) return;
    isPaying.current = true;
    setRefusal(null);
    setFailure("");
    const begin = (card: string) =>
      isNew
        ? subscribe({
            plan: terms.plan,
            code: terms.code,
            country,
            email: email.trim(),
            buyer: company.buyer,
            ...taxFactsOf(company.buyer),
            card,
            total: terms.total,
            currency: terms.currency,
            trial_days: terms.trial_days,
            agrees,
          })
        : payDue(card);
    const outcome = await activate({ card: chosen, begin }, form.provider, setStage);
    if (outcome.kind === "active") {
      go(next);
      return;
    }
    isPaying.current = false;
    setStage(null);
    if (outcome.kind === "failed") setFailure(outcome.message);
    if (outcome.kind === "refused" && !company.refuse(outcome.error)) setRefusal(outcome.error);
    if (outcome.kind === "waiting") setWaiting(true);
  };

  const total = terms.texts["total"] ?? "";
  if (isWaiting)
    return (
      <section className="notice notice--info" role="status">
        <Icon name="clock" className="notice__icon" />
        <p className="notice__title">{t("We're still waiting for your bank")}</p>
        <p className="notice__body">
          {t("Your subscription becomes active as soon as your bank approves.")}
        </p>
        <div className="notice__acts">
          <a className="btn btn--sm" href="/billing/subscriptions">
            {t("See your subscription")}
          </a>
        </div>
      </section>
    );
  return (
    <>
      {summary &&
        createPortal(
          <Summary
            terms={terms}
            firstPayment={props.first_payment}
            isFixed={stage !== null}
            isApplying={isBusy}
            refusal={codeRefusal}
            onApply={(text) => void apply(text)}
          />,
          summary,
        )}
      {stage && <Progress stage={stage} />}
      <form
        className="pay__form"
        aria-label={t("Payment")}
        hidden={stage !== null}
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
                await apply(terms.code);
              },
            }}
            onDismiss={() => setRefusal(null)}
          />
        )}
        <CardFailure message={failure}>
          <UpdateMethod />
        </CardFailure>
        <CardSection form={form} spot={spot} cards={cards} chosen={chosen} onChoose={setChosen}>
          <p className="small faint">{t("The card is saved, and Premium will use it.")}</p>
        </CardSection>
        {isNew && (
          <section aria-labelledby="pay-receipt">
            <div className="sec-head sec-head--fine">
              <h2 className="h4" id="pay-receipt">
                {t("Receipt")}
              </h2>
            </div>
            <div className="pay__two">
              <div className="field">
                <label className="field__label" htmlFor="premium-email">
                  {t("Send it to")}
                </label>
                <input
                  className="input"
                  id="premium-email"
                  type="email"
                  autoComplete="email"
                  maxLength={254}
                  required
                  value={email}
                  aria-invalid={lacksEmail || undefined}
                  aria-describedby={lacksEmail ? "premium-email-fault" : undefined}
                  onChange={(event) => setEmail(event.target.value)}
                />
                {lacksEmail && (
                  <p className="field__error" id="premium-email-fault" role="alert">
                    <Icon name="circle-alert" />
                    {t("Enter your email address.")}
                  </p>
                )}
              </div>
              <CountryField
                id="premium-country"
                country={country}
                isRequired={props.needs_country}
                isMissing={lacksCountry}
                onChange={(chosen) => {
                  setCountry(chosen);
                  if (needsCountry) void apply(terms.code, chosen);
                }}
              />
            </div>
            <BuyerFields
              form={company}
              country={country}
              onTaxFacts={(next) => void apply(terms.code, country, next)}
            />
          </section>
        )}
        <section aria-label={t("Terms")}>
          {isNew && (
            <label className="check">
              <input
                id="premium-terms"
                type="checkbox"
                required
                checked={agrees}
                aria-invalid={lacksTerms}
                aria-describedby={lacksTerms ? "premium-terms-fault" : undefined}
                onChange={(event) => setAgrees(event.target.checked)}
              />
              <span>
                {t("I agree to the terms of sale and that Premium renews until I cancel.")}{" "}
                <a className="link" href="/terms" target="_blank">
                  {t("Read the terms")}
                </a>
              </span>
            </label>
          )}
          {lacksTerms && (
            <p className="field__error" id="premium-terms-fault" role="alert">
              <Icon name="circle-alert" />
              {t("To buy, agree to the terms of sale.")}
            </p>
          )}
          <div className="row mt-4">
            <Button
              type="submit"
              look="primary"
              size="lg"
              isBusy={isBusy || (form.state === "loading" && chosen === "")}
              disabled={form.state === "failed"}
            >
              <Icon name="lock" />
              {isNew && terms.trial_days > 0
                ? tn("Start {count} free day", "Start {count} free days", terms.trial_days)
                : terms.total > 0
                  ? t("Pay {amount}", { amount: total })
                  : t("Start Premium")}
            </Button>
            <a className="btn btn--quiet" href={isNew ? "/premium" : "/billing/subscriptions"}>
              {t("Not now")}
            </a>
          </div>
        </section>
      </form>
    </>
  );
}

const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text.trim());

const STAGES: readonly Stage[] = ["processing", "upgrading", "activating"];

function Progress({ stage }: { stage: Stage }) {
  const labels = {
    processing: t("Processing"),
    upgrading: t("Upgrading"),
    activating: t("Activating subscription"),
  };
  const at = STAGES.indexOf(stage);
  return (
    <section className="panel wait" aria-busy="true" aria-labelledby="wait-title">
      <div className="wait__head">
        <span className="spin" aria-hidden="true" />
        <div role="status">
          <h2 className="h4" id="wait-title">
            {labels[stage]}
          </h2>
          <p className="muted">
            {t(
              "This usually takes a few seconds. You can close this page: we'll finish without it.",
            )}
          </p>
        </div>
      </div>
      <ol className="stages stages--4">
        {STAGES.map((one, index) => (
          <li
            key={one}
            className={index < at ? "is-done" : index === at ? "is-now" : "is-next"}
            aria-current={index === at ? "step" : undefined}
            style={{ "--v": index < at ? 100 : index === at ? 60 : 0 } as CSSProperties}
          >
            <span>{labels[one]}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

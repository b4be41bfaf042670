import { t } from "../../shared/i18n";
import { PromoCode, type PromoCodeProps } from "../../shared/payments/PromoCode";
import type { Terms } from "./api";

type Props = Omit<PromoCodeProps, "code" | "label"> & {
  terms: Terms;
  /** The date of the first payment, as it is shown; empty without a trial. */
  firstPayment: string;
};

/** What Premium costs, beside the form, with the promo code. */
export function Summary({ terms, firstPayment, ...promo }: Props) {
  const { texts, code, plan } = terms;
  const hasTrial = terms.trial_days > 0;
  return (
    <>
      <dl className="kv">
        <dt>{plan === "yearly" ? t("Each year") : t("Each month")}</dt>
        <dd>{texts["price"]}</dd>
        {terms.discount > 0 && (
          <>
            <dt>{t("{code}, first payment", { code })}</dt>
            <dd className="pay__less">−{texts["discount"]}</dd>
          </>
        )}
        {terms.balance !== 0 && (
          <>
            <dt>{terms.balance < 0 ? t("Your credit") : t("From an earlier invoice")}</dt>
            <dd>
              {terms.balance < 0 && "−"}
              {texts["balance"]}
            </dd>
          </>
        )}
        {hasTrial && (
          <>
            <dt>{t("From {date}", { date: firstPayment })}</dt>
            <dd>{texts["total"]}</dd>
          </>
        )}
      </dl>
      <PromoCode code={code} label={terms.code_label} {...promo} />
      <div className="pay__total">
        <span>
          {t("Due today")}
          {terms.tax > 0 && !hasTrial && (
            <span className="small faint num pay__tax">
              {t("{amount} tax included", { amount: texts["tax"] ?? "" })}
            </span>
          )}
          {terms.tax_note !== "" && <span className="small faint pay__tax">{terms.tax_note}</span>}
        </span>
        <b>{hasTrial ? texts["nothing"] : texts["total"]}</b>
      </div>
      {terms.changes_later && (
        <p className="small muted">{t("Then {price}.", { price: texts["later"] ?? "" })}</p>
      )}
    </>
  );
}

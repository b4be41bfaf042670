import { t, tn } from "../../shared/i18n";
import { PromoCode, type PromoCodeProps } from "../../shared/payments/PromoCode";
import type { Quote } from "./api";

type Props = Omit<PromoCodeProps, "code" | "label"> & {
  quote: Quote;
  /** The number of courses of a bundle; 0: it is one course. */
  courses: number;
  isGift: boolean;
  /** It is paid by bank transfer, so nothing is due today. */
  isTransfer: boolean;
};

/** The prices beside the form, with the promo code. */
export function Summary({
  quote,
  courses,
  isGift,
  isTransfer,
  isFixed,
  isApplying,
  refusal,
  onApply,
}: Props) {
  return (
    <>
      <dl className="kv">
        <dt>
          {isGift
            ? t("As a gift")
            : courses === 0
              ? t("Course, yours to keep")
              : tn("{count} course, yours to keep", "{count} courses, yours to keep", courses)}
        </dt>
        <dd>{quote.texts["list_price"]}</dd>
        {quote.discount > 0 && (
          <>
            <dt>{quote.code === "" ? t("Discount") : quote.code}</dt>
            <dd className="pay__less">−{quote.texts["discount"]}</dd>
          </>
        )}
      </dl>
      <PromoCode
        code={quote.code}
        label={quote.code_label}
        isFixed={isFixed}
        isApplying={isApplying}
        refusal={refusal}
        onApply={onApply}
      />
      <div className="pay__total">
        <span>
          {isTransfer ? t("To transfer") : t("Due today")}
          {quote.tax > 0 && (
            <span className="small faint num pay__tax">
              {t("{amount} tax included", { amount: quote.texts["tax"] ?? "" })}
            </span>
          )}
          {quote.tax_note !== "" && <span className="small faint pay__tax">{quote.tax_note}</span>}
        </span>
        <b>{quote.texts["total"]}</b>
      </div>
    </>
  );
}

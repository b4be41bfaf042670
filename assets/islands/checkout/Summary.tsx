import { t } from "../../shared/i18n";
import { PromoCode, type PromoCodeProps } from "../../shared/payments/PromoCode";
import type { Quote } from "./api";

type Props = Omit<PromoCodeProps, "code" | "label"> & { quote: Quote };

/** The prices beside the form, with the promo code. */
export function Summary({ quote, isFixed, isApplying, refusal, onApply }: Props) {
  return (
    <>
      <dl className="kv">
        <dt>{t("Course, yours to keep")}</dt>
        <dd>{quote.texts["list_price"]}</dd>
        {quote.discount > 0 && (
          <>
            <dt>{quote.code}</dt>
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
          {t("Due today")}
          {quote.tax > 0 && (
            <span className="small faint num pay__tax">
              {t("{amount} tax included", { amount: quote.texts["tax"] ?? "" })}
            </span>
          )}
        </span>
        <b>{quote.texts["total"]}</b>
      </div>
    </>
  );
}

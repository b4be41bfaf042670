import { type ReactNode, useId, useState } from "react";

import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import type { Quote } from "./api";

type Props = {
  quote: Quote;
  /** While the order is paid, its code can't change. */
  isFixed: boolean;
  isApplying: boolean;
  refusal: string;
  onApply: (code: string) => void;
};

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
      {quote.code !== "" ? (
        <div className="promo">
          <span className="grow">
            <code>{quote.code}</code>
            <span className="small promo__label">{quote.code_label}</span>
          </span>
          {!isFixed && (
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              aria-label={t("Remove code {code}", { code: quote.code })}
              onClick={() => onApply("")}
            >
              <Icon name="x" />
            </button>
          )}
        </div>
      ) : (
        !isFixed && <PromoField isApplying={isApplying} refusal={refusal} onApply={onApply} />
      )}
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

type FieldProps = Pick<Props, "isApplying" | "refusal" | "onApply">;

function PromoField({ isApplying, refusal, onApply }: FieldProps): ReactNode {
  const [text, setText] = useState("");
  const field = useId();
  const error = useId();
  return (
    <form
      className="field"
      data-many
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "" && !isApplying) onApply(text.trim());
      }}
    >
      <label className="field__label" htmlFor={field}>
        {t("Promo code")}
      </label>
      <span className="pay__code">
        <input
          className="input input--mono"
          id={field}
          value={text}
          maxLength={40}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          aria-invalid={refusal !== "" || undefined}
          aria-describedby={refusal !== "" ? error : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" isBusy={isApplying}>
          {t("Apply")}
        </Button>
      </span>
      {refusal !== "" && (
        <p className="field__error" id={error} role="alert">
          <Icon name="circle-alert" />
          {refusal}
        </p>
      )}
    </form>
  );
}

import { useState } from "react";

import { t } from "../../shared/i18n";
import { type ChoiceWithHint, ChoiceField, Inside, labelIn, useField } from "./CourseForm";
import { PromoCodes } from "./PromoCodes";

export type Pricing = { kind: string; price: string | null };
export const FREE: Pricing = { kind: "free", price: null };

type Props = {
  slug: string;
  pricings: readonly ChoiceWithHint[];
  priceLabel: string;
  promoCodes: string;
};

/** What the course costs, and the codes that lower its price. */
export function Price({ slug, pricings, priceLabel, promoCodes }: Props) {
  const { value, set, isLocked, isWrong } = useField("pricing");
  const pricing = (value ?? FREE) as Pricing;
  const [last, setLast] = useState(pricing.price);
  const describe = (other: unknown): string => {
    const { kind, price } = other as Pricing;
    return price === null ? labelIn(pricings, kind) : `${labelIn(pricings, kind)}: ${price}`;
  };
  return (
    <>
      <ChoiceField
        name="pricing"
        label={t("How learners get it")}
        choices={pricings}
        chosen={pricing.kind}
        onChoose={(kind) => set({ kind, price: kind === "one_time" ? last : null })}
        show={describe}
        tip={t(
          "Free courses reach the most learners. A one-time price sells lifetime access. Premium courses are included in the subscription, and you earn a share of what subscribers watch.",
        )}
        about={t("About pricing")}
      />
      {pricing.kind === "one_time" && (
        <Inside name="pricing">
          <div className="field">
            <label className="field__label" htmlFor="wizard-price">
              {priceLabel}
            </label>
            <input
              id="wizard-price"
              data-field="price"
              className="input studio__price num"
              inputMode="decimal"
              autoComplete="off"
              maxLength={12}
              disabled={isLocked}
              value={pricing.price ?? ""}
              aria-invalid={isWrong ? "true" : undefined}
              aria-describedby={isWrong ? "wizard-pricing-e" : undefined}
              onChange={({ target }) => {
                setLast(target.value || null);
                set({ kind: "one_time", price: target.value || null });
              }}
            />
          </div>
        </Inside>
      )}
      <PromoCodes slug={slug} isPriced={pricing.kind === "one_time"} all={promoCodes} />
    </>
  );
}

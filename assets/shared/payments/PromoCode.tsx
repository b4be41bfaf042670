import { type ReactNode, useId, useState } from "react";

import { t } from "../i18n";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";

export type PromoCodeProps = {
  /** The code in use; empty: none. */
  code: string;
  /** What it takes off. */
  label: string;
  /** While the payment is made, the code can't change. */
  isFixed: boolean;
  isApplying: boolean;
  /** Why the code that was entered can't be used. */
  refusal: string;
  /** Use a code; an empty one removes it. */
  onApply: (code: string) => void;
};

/** The promo code in use, or the field for one. */
export function PromoCode({ code, label, isFixed, ...field }: PromoCodeProps): ReactNode {
  if (code === "") return isFixed ? null : <PromoField {...field} />;
  return (
    <div className="promo">
      <span className="grow">
        <code>{code}</code>
        <span className="small promo__label">{label}</span>
      </span>
      {!isFixed && (
        <button
          className="icon-btn icon-btn--sm"
          type="button"
          aria-label={t("Remove code {code}", { code })}
          onClick={() => field.onApply("")}
        >
          <Icon name="x" />
        </button>
      )}
    </div>
  );
}

type FieldProps = Pick<PromoCodeProps, "isApplying" | "refusal" | "onApply">;

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

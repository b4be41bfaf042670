import { useState } from "react";

import { t } from "../../shared/i18n";
import { countries } from "../../shared/payments/countries";
import { Icon } from "../../shared/ui/Icon";

type Props = {
  id: string;
  /** ISO 3166-1; empty: none is chosen. */
  country: string;
  /** Whether it decides about the tax. */
  isRequired: boolean;
  isMissing: boolean;
  onChange: (country: string) => void;
};

/** The country in which Premium is taxed. */
export function CountryField({ id, country, isRequired, isMissing, onChange }: Props) {
  const [all] = useState(countries);
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {t("Country")}
      </label>
      <select
        className="select"
        id={id}
        autoComplete="country"
        required={isRequired}
        value={country}
        aria-invalid={isMissing || undefined}
        aria-describedby={isMissing ? `${id}-fault` : undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{t("Choose a country")}</option>
        {all.map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      {isMissing && (
        <p className="field__error" id={`${id}-fault`} role="alert">
          <Icon name="circle-alert" />
          {t("Choose a country.")}
        </p>
      )}
      {isRequired && (
        <p className="small faint">{t("Your country determines the tax in the price.")}</p>
      )}
    </div>
  );
}

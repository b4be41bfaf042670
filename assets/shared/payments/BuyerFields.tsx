import { useEffect, useId, useState } from "react";

import { announce } from "../announce";
import type { ApiError } from "../api/errors";
import type { components } from "../api/schema.gen";
import { t } from "../i18n";
import { Icon } from "../ui/Icon";
import { checkVatNumber, type VatCheck } from "./vatNumber";

/** The company that buys. Its country is that of the checkout. */
export type Buyer = Required<components["schemas"]["BuyerInRequest"]>;
export type BuyerFaults = Partial<Record<keyof Buyer, string>>;

/** What decides about the tax beside the country: of a company; of a person the server knows it. */
export type TaxFacts = { vat_id: string; postal_code: string | null };

export function taxFactsOf(buyer: Buyer | null): TaxFacts {
  return { vat_id: buyer?.vat_id ?? "", postal_code: buyer ? buyer.postal_code : null };
}

const NOBODY: Buyer = {
  name: "",
  street: "",
  extra: "",
  postal_code: "",
  city: "",
  region: "",
  vat_id: "",
  reference: "",
};

export type BuyerForm = {
  /** The company; null for a person. */
  buyer: Buyer | null;
  /** What stands in the fields, also while they are closed. */
  values: Buyer;
  faults: BuyerFaults;
  setFaults: (faults: BuyerFaults) => void;
  toggle: () => void;
  change: (name: keyof Buyer, value: string) => void;
  /** Show what the server says about single fields, and whether it did. */
  refuse: (error: ApiError) => boolean;
};

/** @param saved the company that the user bought as before */
export function useBuyer(saved: Buyer | null): BuyerForm {
  const [values, setValues] = useState<Buyer>(saved ?? NOBODY);
  const [isCompany, setCompany] = useState(saved !== null);
  const [faults, setFaults] = useState<BuyerFaults>({});
  return {
    buyer: isCompany ? values : null,
    values,
    faults,
    setFaults,
    toggle: () => {
      setCompany(!isCompany);
      setFaults({});
    },
    change: (name, value) => {
      setValues({ ...values, [name]: value });
      setFaults({ ...faults, [name]: "" });
    },
    refuse: (error) => {
      const found: BuyerFaults = {};
      for (const name of Object.keys(NOBODY) as (keyof Buyer)[]) {
        const message = error.problem.fields[`buyer.${name}`]?.[0]?.message;
        if (message) found[name] = message;
      }
      setFaults(found);
      return Object.keys(found).length > 0;
    },
  };
}

/** What is missing, in the order of the fields. */
export function missingOf(buyer: Buyer): BuyerFaults {
  const faults: BuyerFaults = {};
  if (buyer.name.trim() === "") faults.name = t("Enter the company's name.");
  if (buyer.street.trim() === "") faults.street = t("Enter the street address.");
  if (buyer.city.trim() === "") faults.city = t("Enter the city or town.");
  return faults;
}

/** Move to the first field with a fault. */
export function focusFault(faults: BuyerFaults): void {
  const first = FIELDS.flat().find(({ name }) => faults[name]);
  if (first) document.getElementById(`buyer-${first.name}`)?.focus();
}

type Field = { name: keyof Buyer; complete: string; max: number; isOptional: boolean };
const field = (name: keyof Buyer, complete: string, max: number, isOptional = false): Field => ({
  name,
  complete,
  max,
  isOptional,
});
const FIELDS: Field[][] = [
  [field("name", "organization", 200)],
  [field("street", "address-line1", 200), field("extra", "address-line2", 200, true)],
  [field("postal_code", "postal-code", 20), field("city", "address-level2", 100)],
  [field("region", "address-level1", 100, true), field("vat_id", "off", 30, true)],
  [field("reference", "off", 60, true)],
];

/** What the server says about the VAT number that was left, or was there when the country changed. */
function useVatCheck(country: string, vatId: string, isOpen: boolean) {
  const [left, setLeft] = useState("");
  const [check, setCheck] = useState<VatCheck | null>(null);
  useEffect(() => {
    if (!isOpen || left.trim() === "") {
      setCheck(null);
      return;
    }
    let isCurrent = true;
    void checkVatNumber(country, left).then((found) => {
      if (!isCurrent) return;
      setCheck(found);
      if (found && found.message !== "") announce(found.message);
    });
    return () => {
      isCurrent = false;
    };
  }, [country, left, isOpen]);
  // What is being typed is not judged by what stood there before.
  return { check: vatId === left ? check : null, leave: () => setLeft(vatId) };
}

type Props = {
  form: BuyerForm;
  /** ISO 3166-1; empty: none is chosen. */
  country: string;
  /** What counts now and may change the tax. */
  onTaxFacts: (facts: TaxFacts) => void;
};

/** "I buy as a company", and the fields that it opens. */
export function BuyerFields({ form, country, onTaxFacts }: Props) {
  const { buyer, values, change } = form;
  const { check, leave } = useVatCheck(country, values.vat_id, buyer !== null);
  const faults = { ...form.faults };
  if (check?.passes === false && !faults.vat_id) faults.vat_id = check.message;
  const id = useId();
  const labels: Record<keyof Buyer, string> = {
    name: t("Company"),
    street: t("Street address"),
    extra: t("Floor, building or department"),
    postal_code: t("Postal code"),
    city: t("City or town"),
    region: t("State, province or county"),
    vat_id: t("VAT number"),
    reference: t("Your reference"),
  };
  return (
    <>
      <label className="check mt-4">
        <input
          type="checkbox"
          checked={buyer !== null}
          aria-expanded={buyer !== null}
          aria-controls={id}
          onChange={() => {
            onTaxFacts(taxFactsOf(buyer === null ? values : null));
            form.toggle();
          }}
        />
        <span>{t("I buy as a company")}</span>
      </label>
      <div id={id} className="stack mt-4" hidden={buyer === null}>
        {buyer &&
          FIELDS.map((row) => (
            <div key={row[0]?.name} className={row.length > 1 ? "pay__two" : undefined}>
              {row.map(({ name, complete, max, isOptional }) => (
                <div key={name} className="field">
                  <div className="field__label">
                    <label htmlFor={`buyer-${name}`}>{labels[name]}</label>
                    {isOptional && <span className="field__opt">{t("Optional")}</span>}
                  </div>
                  <input
                    className={name === "vat_id" ? "input input--mono" : "input"}
                    id={`buyer-${name}`}
                    value={buyer[name]}
                    maxLength={max}
                    autoComplete={complete}
                    aria-invalid={faults[name] ? true : undefined}
                    aria-describedby={
                      faults[name]
                        ? `buyer-${name}-fault`
                        : name === "vat_id"
                          ? "buyer-vat_id-hint"
                          : undefined
                    }
                    onChange={(event) => change(name, event.target.value)}
                    onBlur={
                      name === "vat_id" || name === "postal_code"
                        ? () => {
                            if (name === "vat_id") leave();
                            onTaxFacts(taxFactsOf(buyer));
                          }
                        : undefined
                    }
                  />
                  {faults[name] ? (
                    <p
                      className="field__error"
                      id={`buyer-${name}-fault`}
                      // The check of a field that was left has been announced politely.
                      role={form.faults[name] ? "alert" : undefined}
                    >
                      <Icon name="circle-alert" />
                      {faults[name]}
                    </p>
                  ) : (
                    name === "vat_id" && <VatHint check={check} />
                  )}
                </div>
              ))}
            </div>
          ))}
      </div>
    </>
  );
}

function VatHint({ check }: { check: VatCheck | null }) {
  if (check?.passes)
    return (
      <p className="field__ok" id="buyer-vat_id-hint">
        <Icon name="check" />
        {check.message}
      </p>
    );
  return (
    <p className="field__hint" id="buyer-vat_id-hint">
      {check && check.message !== "" ? check.message : t("We check its format, not the registry.")}
    </p>
  );
}

import { Icon } from "../../shared/ui/Icon";

export type Faults = Partial<
  Record<"recipient" | "address" | "sender" | "day" | "email" | "country" | "terms", string>
>;

/** Ties a field to its fault. */
export function tie(name: keyof Faults, faults: Faults) {
  return faults[name] ? { "aria-invalid": true, "aria-describedby": `pay-${name}-fault` } : {};
}

export function Fault({ of, faults }: { of: keyof Faults; faults: Faults }) {
  if (!faults[of]) return null;
  return (
    <p className="field__error" id={`pay-${of}-fault`} role="alert">
      <Icon name="circle-alert" />
      {faults[of]}
    </p>
  );
}

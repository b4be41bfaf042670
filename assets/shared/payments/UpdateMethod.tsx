import { lookup } from "../api/errors";

/** The action of PAYMENT_CARD_DECLINED: where cards are added and removed. */
export function UpdateMethod() {
  const { action } = lookup("PAYMENT_CARD_DECLINED");
  return action ? (
    <a className="btn btn--sm" href={action.href}>
      {action.label}
    </a>
  ) : null;
}

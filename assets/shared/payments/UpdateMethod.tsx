import { makeError, lookup } from "../api/errors";

/** The action of PAYMENT_CARD_DECLINED: where cards are added and removed. */
export function UpdateMethod() {
  const { action } = lookup(makeError("PAYMENT_CARD_DECLINED").problem.code);
  return action ? (
    <a className="btn btn--sm" href={action.href}>
      {action.label}
    </a>
  ) : null;
}

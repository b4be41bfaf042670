import { type ErrorCode, lookup } from "../api/errors";

// Only its action is used: the texts come from the provider or the server.
const DECLINED: ErrorCode = "PAYMENT_CARD_DECLINED";

/** The action of a declined card: where cards are added and removed. */
export function UpdateMethod() {
  const { action } = lookup(DECLINED);
  return action ? (
    <a className="btn btn--sm" href={action.href}>
      {action.label}
    </a>
  ) : null;
}

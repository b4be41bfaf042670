/** What is said when something with stored lessons fails. */
import { ApiError, lookup } from "../../shared/api/errors";
import { NotAuthenticated } from "../../shared/auth/session";
import { t } from "../../shared/i18n";

/** A sentence for people: that of the error catalog where there is one. */
export function describeFailure(reason: unknown): string {
  if (reason instanceof ApiError) return reason.message;
  if (reason instanceof NotAuthenticated) return lookup("NOT_AUTHENTICATED").message;
  if (reason instanceof DOMException && reason.name === "QuotaExceededError")
    return t("This device is full. Free up space, then try again.");
  return navigator.onLine
    ? t("Something went wrong. Reload the page, then try again.")
    : lookup("NETWORK_OFFLINE").message;
}

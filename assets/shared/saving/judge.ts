/** What a failed save means, and the words for it. */
import { ApiError } from "../api/errors";
import { NotAuthenticated } from "../auth/session";
import { t } from "../i18n";
import type { Verdict } from "./saveQueue";

/** Failures that pass by themselves, beside a lost connection and a server that fails. */
const TEMPORARY = new Set(["RATE_LIMIT_EXCEEDED", "MAINTENANCE_MODE", "REQUEST_STALLED"]);

export function judge(reason: unknown): Verdict {
  if (reason instanceof NotAuthenticated) return "stop";
  if (!(reason instanceof ApiError)) return "later";
  const { status, problem } = reason;
  if (status === 0 || status >= 500 || TEMPORARY.has(problem.code)) return "later";
  return [400, 413, 422].includes(status) ? "field" : "stop";
}

/** Milliseconds until the server wants to be asked again, if it says so. */
export const waitOf = (reason: unknown): number | undefined =>
  reason instanceof ApiError && reason.retryAfter !== undefined
    ? reason.retryAfter * 1000
    : undefined;

export const isSignedOut = (reason: unknown): boolean =>
  reason instanceof NotAuthenticated || (reason instanceof ApiError && reason.status === 401);

/** Why nothing can be saved, after "Not saved:". */
export function reasonOf(failure: unknown): string {
  if (isSignedOut(failure)) return t("your session has ended");
  if (failure instanceof ApiError && failure.status === 404)
    return t("the course was deleted, or it isn't yours anymore");
  return failure instanceof Error ? failure.message : t("something went wrong");
}

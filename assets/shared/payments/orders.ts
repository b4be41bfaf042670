/** Orders: what became of one, asked until it is settled. */
import { authenticatedApi, reach, unwrap } from "../api/client";
import { ApiError, makeError } from "../api/errors";
import type { components } from "../api/schema.gen";

export type Order = components["schemas"]["OrderOut"];

/** Seconds before each question: about a minute and a half in all. */
export const PAUSES = [0, 1, 1, 2, 3, 5, 8, 13, 20, 30];

export function syncOrder(uid: string): Promise<Order> {
  return unwrap(
    authenticatedApi.POST("/api/v1/billing/orders/{uid}/sync/", {
      params: { path: { uid } },
      fetch: reach, // the page says by itself that it waits
    }),
  );
}

const isSettled = ({ status }: Order): boolean => status === "paid" || status === "canceled";

/** Whether another question can help: no connection, a provider that can't be reached, too many questions. */
const isPassing = (thrown: unknown): boolean =>
  thrown instanceof ApiError &&
  (thrown.status === 0 || thrown.status === 429 || thrown.status >= 500);

/** Milliseconds after which an unanswered question counts as failed, and all of them as answered by nobody. */
export const MAX_ANSWER_MS = 15_000;
export const MAX_SETTLE_MS = 90_000;

/** What a promise gives, or NETWORK_TIMEOUT if that takes too long. */
async function within<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(makeError("NETWORK_TIMEOUT", { seconds: limit / 1000 })),
      limit,
    );
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const pause = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * Ask what became of an order until it is settled, with growing pauses, for `MAX_SETTLE_MS` at most.
 * @returns the order as it was last seen; null if nobody answered
 */
export async function settle(
  uid: string,
  pauses: readonly number[] = PAUSES,
): Promise<Order | null> {
  let seen: Order | null = null;
  const until = Date.now() + MAX_SETTLE_MS;
  for (const seconds of pauses) {
    if (Date.now() + seconds * 1000 > until) break;
    if (seconds > 0) await pause(seconds);
    try {
      seen = await within(MAX_ANSWER_MS, syncOrder(uid));
      if (isSettled(seen)) return seen;
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
    }
  }
  return seen;
}

/** Pay: make the order, confirm its payment with the provider, ask the server what became of it. */
import type { ApiError } from "../../shared/api/errors";
import { toApiError } from "../../shared/api/errors";
import { paymentMessage } from "../../shared/payments/messages";
import { type Order, PAUSES, settle } from "../../shared/payments/orders";
import { beginOrder, type OrderIn } from "./api";
import type { Provider } from "./useCardForm";
import type { Stage } from "./Waiting";

/** What became of the payment. `refused`: by the server, before anything was charged. */
export type Outcome =
  | { kind: "left"; address: string }
  | { kind: "failed"; message: string }
  | { kind: "invalid" }
  | { kind: "refused"; error: ApiError };

/** After this time the bank is probably asking the user. */
export const ASKS_AFTER_MS = 6000;

type Progress = (stage: Stage, order: Pick<Order, "uid" | "number"> | null) => void;

/** @param provider null if nothing is charged */
export function pay(
  wanted: OrderIn,
  provider: Provider | null,
  onProgress: Progress,
): Promise<Outcome> {
  const how = { usesForm: provider !== null && wanted.card === null, email: wanted.email ?? "" };
  return payOrder(() => beginOrder(wanted), how, provider, onProgress);
}

/**
 * @param begin makes the order, or begins to pay one that exists
 * @param how whether the card of the form pays, and where the receipt goes
 */
export async function payOrder(
  begin: () => Promise<Order>,
  { usesForm, email }: { usesForm: boolean; email: string },
  provider: Provider | null,
  onProgress: Progress,
): Promise<Outcome> {
  if (usesForm && provider) {
    const { error } = await provider.elements.submit();
    // The fields themselves say what is missing.
    if (error) return { kind: "invalid" };
  }
  onProgress("checking", null);
  let order: Order;
  try {
    order = await begin();
  } catch (thrown) {
    return { kind: "refused", error: toApiError(thrown) };
  }
  // It waits for its bank transfer.
  if (!provider && order.status === "open") return { kind: "left", address: order.next_url };
  onProgress("bank", order);
  if (!provider || order.client_secret === "") return follow(order.uid, onProgress);

  const asks = setTimeout(() => onProgress("asked", order), ASKS_AFTER_MS);
  const message = await confirm(provider, order, usesForm, email).finally(() => clearTimeout(asks));
  if (message === null) {
    onProgress("bank", order);
    return follow(order.uid, onProgress);
  }
  // The answer may have been lost after the charge: only the server knows.
  return follow(order.uid, onProgress, message);
}

/** What the user reads if the payment was not confirmed, else null. */
async function confirm(
  { stripe, elements }: Provider,
  order: Order,
  usesForm: boolean,
  email: string,
): Promise<string | null> {
  const clientSecret = order.client_secret;
  const return_url = new URL(`/payment-success?order=${order.uid}`, location.href).href;
  try {
    const { error } = usesForm
      ? await stripe.confirmPayment({
          elements,
          clientSecret,
          confirmParams: {
            return_url,
            ...(email === "" ? {} : { payment_method_data: { billing_details: { email } } }),
          },
          redirect: "if_required",
        })
      : await stripe.confirmPayment({
          clientSecret,
          confirmParams: { return_url, payment_method: order.payment_method },
          redirect: "if_required",
        });
    return error ? paymentMessage(error) : null;
  } catch (thrown) {
    return paymentMessage(thrown instanceof Error ? thrown : null);
  }
}

/**
 * Ask until the order is settled.
 * @param failure what the browser knows of a failed confirmation, if it failed
 */
export async function follow(
  uid: string,
  onProgress: Progress,
  failure?: string,
): Promise<Outcome> {
  let order: Order | null;
  try {
    order = await settle(uid, failure === undefined ? PAUSES : PAUSES.slice(0, 4));
  } catch (thrown) {
    return { kind: "refused", error: toApiError(thrown) };
  }
  if (order?.status === "canceled")
    return { kind: "failed", message: firstOf(order.failure, failure) };
  if (order?.status === "open" && failure !== undefined)
    return { kind: "failed", message: failure };
  if (order?.status === "paid") onProgress("paid", order);
  return { kind: "left", address: order?.next_url ?? `/payment-success?order=${uid}` };
}

const firstOf = (...texts: (string | undefined)[]): string =>
  texts.find((text) => text !== undefined && text !== "") ?? paymentMessage({ type: "other" });

/** Save a card for later payments: the provider's form takes it, its bank confirms it, the server stores it. */
import type { Stripe, StripeElements } from "@stripe/stripe-js";

import { authenticatedApi, unwrap } from "../api/client";
import { type ApiError, toApiError } from "../api/errors";
import type { components } from "../api/schema.gen";
import { paymentMessage } from "./messages";

export type Card = components["schemas"]["CardOut"];
export type Provider = { stripe: Stripe; elements: StripeElements };

/** `invalid`: the fields say what is missing. `refused`: by the server. */
export type Saved =
  | { kind: "saved"; card: Card }
  | { kind: "invalid" }
  | { kind: "failed"; message: string }
  | { kind: "refused"; error: ApiError };

/** Begin to save a card; the same key begins the same card. */
const beginCard = (key: string): Promise<components["schemas"]["CardBegun"]> =>
  unwrap(authenticatedApi.POST("/api/v1/billing/cards/", { body: { key } }));

const finishCard = (intent: string): Promise<Card> =>
  unwrap(authenticatedApi.POST("/api/v1/billing/cards/done/", { body: { intent } }));

/** @param onConfirm called once the fields are complete, before the bank is asked */
export async function saveCard(
  { stripe, elements }: Provider,
  onConfirm: () => void,
): Promise<Saved> {
  try {
    const checked = await elements.submit();
    if (checked.error) return { kind: "invalid" };
    onConfirm();
    const begun = await beginCard(crypto.randomUUID());
    const { error } = await stripe.confirmSetup({
      elements,
      clientSecret: begun.client_secret,
      confirmParams: { return_url: new URL("/billing/methods", location.href).href },
      redirect: "if_required",
    });
    if (error) return { kind: "failed", message: paymentMessage(error) };
    return { kind: "saved", card: await finishCard(begun.intent) };
  } catch (thrown) {
    return { kind: "refused", error: toApiError(thrown) };
  }
}

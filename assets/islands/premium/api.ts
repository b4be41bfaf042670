/** API calls of the checkout of Premium. */
import { authenticatedApi, reach, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import type { Buyer, TaxFacts } from "../../shared/payments/BuyerFields";
import type { ProviderProps } from "../../shared/payments/provider";
import type { SavedCard } from "../../shared/payments/cards";

export type Terms = components["schemas"]["TermsOut"];
export type Subscription = components["schemas"]["SubscriptionOut"];
export type SubscribeIn = components["schemas"]["SubscribeInRequest"];

export type PremiumProps = {
  /** Subscribe, or pay what is due for a subscription. */
  mode: "subscribe" | "pay";
  terms: Terms;
  /** The default first. */
  cards: SavedCard[];
  /** Where receipts go. */
  email: string;
  country: string;
  /** Whether the country decides about the tax. */
  needs_country: boolean;
  /** The company that the user bought as before. */
  buyer: Buyer | null;
  /** The date of the first payment, as it is shown; empty without a trial. */
  first_payment: string;
  provider: ProviderProps;
  /** Where to go once Premium is active. */
  next: string;
};

export function getTerms(
  plan: Terms["plan"],
  code: string,
  country: string,
  facts: TaxFacts,
): Promise<Terms> {
  const body = { plan, code, country, ...facts };
  return unwrap(authenticatedApi.POST("/api/v1/billing/premium/terms/", { body }));
}

export function subscribe(wanted: SubscribeIn): Promise<Subscription> {
  return unwrap(authenticatedApi.POST("/api/v1/billing/premium/", { body: wanted }));
}

export function payDue(card: string): Promise<Subscription> {
  return unwrap(authenticatedApi.POST("/api/v1/billing/premium/pay/", { body: { card } }));
}

export function syncPremium(): Promise<Subscription> {
  return unwrap(
    authenticatedApi.POST("/api/v1/billing/premium/sync/", {
      fetch: reach, // the page says by itself that it waits
    }),
  );
}

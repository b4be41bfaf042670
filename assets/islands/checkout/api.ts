/** API calls of the checkout. */
import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import type { SavedCard } from "../../shared/payments/cards";
import type { Buyer, TaxFacts } from "../../shared/payments/BuyerFields";
import type { Order } from "../../shared/payments/orders";
import type { ProviderProps } from "../../shared/payments/provider";

export type Quote = components["schemas"]["QuoteOut"];
export type OrderIn = components["schemas"]["OrderInRequest"];

/** What is bought, by its slug; the other one is "". */
export type Wanted = { course: string; bundle: string; is_gift: boolean };

export type CheckoutProps = Omit<Wanted, "is_gift"> & {
  /** Set if it is for someone else; days as "2026-11-26". */
  gift: { sender_name: string; today: string; last_day: string; zone: string } | null;
  /** How many courses the order has: one, or those of a bundle that the user doesn't own. */
  course_count: number;
  quote: Quote;
  /** The default first. */
  cards: SavedCard[];
  email: string;
  country: string;
  needs_country: boolean;
  /** The company that the user bought as before. */
  buyer: Buyer | null;
  provider: ProviderProps;
  /** The order of an earlier visit that isn't settled. */
  order: { uid: string; number: string; status: string } | null;
  refund_days: number;
  /** How many days there are for a bank transfer; 0: it isn't offered. */
  transfer_days: number;
};

export function getQuote(
  wanted: Wanted,
  code: string,
  country: string,
  facts: TaxFacts,
): Promise<Quote> {
  const body = { ...wanted, code, country, ...facts };
  return unwrap(authenticatedApi.POST("/api/v1/billing/quote/", { body }));
}

export function beginOrder(order: OrderIn): Promise<Order> {
  return unwrap(authenticatedApi.POST("/api/v1/billing/orders/", { body: order }));
}

/** An order that exists and is to be paid by card. */
export type OrderPaymentProps = {
  /** Its uid. */
  order: string;
  number: string;
  /** As it is shown. */
  total: string;
  /** Minor units of the provider. */
  provider_total: number;
  currency: string;
  email: string;
  cards: SavedCard[];
  provider: ProviderProps;
  /** Where "Not now" leads. */
  back: string;
};

/** @param card a saved card; null for another one */
export function beginPayment(uid: string, card: string | null): Promise<Order> {
  return unwrap(
    authenticatedApi.POST("/api/v1/billing/orders/{uid}/pay/", {
      params: { path: { uid } },
      body: { card },
    }),
  );
}

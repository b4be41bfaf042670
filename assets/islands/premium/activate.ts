/** Activate Premium: save the card, begin the subscription, confirm its payment, ask what became of it. */
import { ApiError, toApiError } from "../../shared/api/errors";
import { paymentMessage } from "../../shared/payments/messages";
import { PAUSES } from "../../shared/payments/orders";
import { type Provider, saveCard } from "../../shared/payments/saveCard";
import { type Subscription, syncPremium } from "./api";

/** The card is saved; the subscription is made and paid; its courses open. */
export type Stage = "processing" | "upgrading" | "activating";

/** `waiting`: the provider has not answered yet; the server finishes without the page. */
export type Outcome =
  | { kind: "active" }
  | { kind: "waiting" }
  | { kind: "invalid" }
  | { kind: "failed"; message: string }
  | { kind: "refused"; error: ApiError };

type Wanted = {
  /** The uid of a saved card; empty: the card in the form. */
  card: string;
  begin: (card: string) => Promise<Subscription>;
  /** Seconds between the questions. */
  pauses?: readonly number[];
};

export async function activate(
  { card, begin, pauses = PAUSES }: Wanted,
  provider: Provider,
  onStage: (stage: Stage) => void,
): Promise<Outcome> {
  try {
    let uid = card;
    if (uid === "") {
      const saved = await saveCard(provider, () => onStage("processing"));
      if (saved.kind !== "saved") return saved;
      uid = saved.card.uid;
    }
    onStage("upgrading");
    const begun = await begin(uid);
    if (begun.client_secret !== "") {
      const { error } = await provider.stripe.confirmPayment({
        clientSecret: begun.client_secret,
        confirmParams: {
          return_url: new URL("/billing/subscriptions", location.href).href,
          payment_method: begun.payment_method,
        },
        redirect: "if_required",
      });
      // The answer may have been lost after the charge: only the server knows.
      if (error) return await follow(pauses.slice(0, 3), paymentMessage(error));
    }
    onStage("activating");
    return await follow(pauses);
  } catch (thrown) {
    return { kind: "refused", error: toApiError(thrown) };
  }
}

const isActive = ({ status }: Subscription): boolean =>
  status === "trialing" || status === "active";

/** Ask until Premium is active. `failure`: what the browser knows of a failed confirmation. */
async function follow(pauses: readonly number[], failure?: string): Promise<Outcome> {
  for (const seconds of pauses) {
    if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    try {
      if (isActive(await syncPremium())) return { kind: "active" };
    } catch (thrown) {
      const isPassing =
        thrown instanceof ApiError &&
        (thrown.status === 0 || thrown.status === 429 || thrown.status >= 500);
      if (!isPassing) throw thrown;
    }
  }
  return failure === undefined ? { kind: "waiting" } : { kind: "failed", message: failure };
}

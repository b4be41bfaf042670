import type { Stripe, StripeElements } from "@stripe/stripe-js";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

import {
  followAppearance,
  pageAppearance,
  pageFonts,
  type ProviderProps,
} from "../../shared/payments/provider";

export type Provider = { stripe: Stripe; elements: StripeElements };
export type Load = (props: ProviderProps) => Promise<Stripe>;

export type CardForm = {
  state: "loading" | "ready" | "failed";
  provider: Provider | null;
  retry: () => void;
};

type Options = {
  spot: RefObject<HTMLElement | null>;
  load: Load;
  props: ProviderProps;
  /** Minor units; 0: nothing is charged, so no card is needed. */
  amount: number;
  currency: string;
  /** Whether the fields of another card are shown. */
  isShown: boolean;
  savesCard: boolean;
};

/** The provider's fields for a card, in the frame of its own that it puts into `spot`. */
export function useCardForm(options: Options): CardForm {
  const { spot, load, props, amount, currency, isShown, savesCard } = options;
  const [state, setState] = useState<CardForm["state"]>("loading");
  const [provider, setProvider] = useState<Provider | null>(null);
  const [round, setRound] = useState(0);
  const isNeeded = amount > 0;
  // Read once by the effect that creates the fields; later changes are updates.
  const first = useRef({ amount, currency });
  useEffect(() => {
    first.current = { amount, currency };
  }, [amount, currency]);

  useEffect(() => {
    if (!isNeeded) return undefined;
    let isOver = false;
    let elements: StripeElements | null = null;
    load(props).then(
      (stripe) => {
        if (isOver) return;
        elements = stripe.elements({
          mode: "payment",
          ...first.current,
          paymentMethodTypes: ["card"],
          appearance: pageAppearance(),
          fonts: pageFonts(),
        });
        setProvider({ stripe, elements });
      },
      () => {
        if (!isOver) setState("failed");
      },
    );
    return () => {
      isOver = true;
      elements?.getElement("payment")?.destroy();
      setProvider(null);
    };
    // The address and the key never change while the page is open.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isNeeded, round, load]);

  useEffect(() => {
    const place = spot.current;
    if (!provider || !isShown || !place) return undefined;
    if (provider.elements.getElement("payment")) return undefined;
    const field = provider.elements.create("payment", { layout: "tabs" });
    field.on("ready", () => setState("ready"));
    field.on("loaderror", () => setState("failed"));
    field.mount(place);
    return undefined;
  }, [provider, isShown, spot]);

  useEffect(() => {
    if (!provider || state !== "ready") return undefined;
    return followAppearance((appearance) => provider.elements.update({ appearance }));
  }, [provider, state]);

  useEffect(() => {
    if (!provider || state !== "ready" || amount === 0) return;
    provider.elements.update({
      amount,
      currency,
      setupFutureUsage: savesCard ? "off_session" : null,
    });
  }, [provider, state, amount, currency, savesCard]);

  const retry = useCallback(() => {
    setState("loading");
    setRound((before) => before + 1);
  }, []);
  return { state, provider, retry };
}

import type { Stripe, StripeElements } from "@stripe/stripe-js";
import { type RefObject, useCallback, useEffect, useState } from "react";

import { followAppearance, pageAppearance, pageFonts, type ProviderProps } from "./provider";
import type { Provider } from "./saveCard";

export type Load = (props: ProviderProps) => Promise<Stripe>;

type Options = {
  spot: RefObject<HTMLElement | null>;
  load: Load;
  props: ProviderProps;
  currency: string;
  /** Whether the fields of another card are shown. */
  isShown: boolean;
};

export type SetupForm = {
  state: "loading" | "ready" | "failed";
  provider: Provider | null;
  retry: () => void;
};

/** The provider's fields for a card to be saved, in the frame of its own that it puts into `spot`. */
export function useSetupForm({ spot, load, props, currency, isShown }: Options): SetupForm {
  const [state, setState] = useState<SetupForm["state"]>("loading");
  const [provider, setProvider] = useState<Provider | null>(null);
  const [round, setRound] = useState(0);

  useEffect(() => {
    let isOver = false;
    let elements: StripeElements | null = null;
    load(props).then(
      (stripe) => {
        if (isOver) return;
        elements = stripe.elements({
          mode: "setup",
          currency,
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
    // The address, the key and the currency never change while the page is open.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [round, load]);

  useEffect(() => {
    const place = spot.current;
    if (!provider || !isShown || !place) return;
    if (provider.elements.getElement("payment")) return;
    const field = provider.elements.create("payment", { layout: "tabs" });
    field.on("ready", () => setState("ready"));
    field.on("loaderror", () => setState("failed"));
    field.mount(place);
  }, [provider, isShown, spot]);

  useEffect(() => {
    if (!provider || state !== "ready") return undefined;
    return followAppearance((appearance) => provider.elements.update({ appearance }));
  }, [provider, state]);

  const retry = useCallback(() => {
    setState("loading");
    setRound((before) => before + 1);
  }, []);
  return { state, provider, retry };
}

import type { RefObject } from "react";

import { t } from "../i18n";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";

type Props = {
  state: "loading" | "ready" | "failed";
  /** The element into which the provider puts its frame. */
  spot: RefObject<HTMLDivElement | null>;
};

/** The place of the provider's card fields, until they appear and after. */
export function CardFields({ state, spot }: Props) {
  return (
    <div className="methods__fields">
      {state === "loading" && (
        <p className="row row--tight muted" role="status">
          <span className="spin" aria-hidden="true" />
          {t("Loading the card form")}
        </p>
      )}
      <div ref={spot} />
    </div>
  );
}

/** The card fields could not be loaded. */
export function NoCardFields({ onRetry }: { onRetry: () => void }) {
  return (
    <section className="notice notice--error" role="alert">
      <Icon name="wifi-off" className="notice__icon" />
      <p className="notice__title">{t("The card form couldn't be loaded")}</p>
      <p className="notice__body">
        {t("The payment provider can't be reached. Nothing was charged.")}
      </p>
      <div className="notice__acts">
        <Button size="sm" onClick={onRetry}>
          {t("Try again")}
        </Button>
      </div>
    </section>
  );
}

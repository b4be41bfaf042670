import { useSyncExternalStore } from "react";

import { installApp, readOffer, subscribeToOffer } from "../../offline/controls/installOffer";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";

/** Installs the site as an app, where the browser offers that. Elsewhere it is not shown. */
export function InstallButton() {
  const offer = useSyncExternalStore(subscribeToOffer, readOffer);
  if (!offer) return null;
  return (
    <section aria-label={t("Install")}>
      <button className="btn btn--sm" type="button" onClick={() => void installApp()}>
        <Icon name="download" />
        {t("Install app")}
      </button>
      <p className="small muted mt-2">
        {t("It opens in its own window, with or without a connection.")}
      </p>
    </section>
  );
}

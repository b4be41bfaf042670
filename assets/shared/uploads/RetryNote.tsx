import { useEffect, useState } from "react";

import { t } from "../i18n";
import { CountdownRing } from "../ui/CountdownRing";
import type { Transfer, Transfers } from "./transfers";

type Props = { transfer: Transfer; transfers: Transfers };

/** The countdown until an interrupted transfer resumes, with a button that stops it. */
export function RetryNote({ transfer, transfers }: Props) {
  const { id, retryAt } = transfer;
  const [now, setNow] = useState(() => Date.now());
  const [since] = useState(() => Date.now());
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(clock);
  }, []);
  if (retryAt === null) return <span>{t("The upload continues when you resume it.")}</span>;

  const left = Math.max(0, retryAt - now);
  const share = retryAt > since ? (100 * left) / (retryAt - since) : 0;
  return (
    <span className="row row--tight" aria-live="off">
      <span className="retry">
        <CountdownRing percent={share} />
        <span>{t("Retrying in {seconds} s", { seconds: Math.ceil(left / 1000) })}</span>
      </span>
      <button className="link small" type="button" onClick={() => transfers.stopRetrying(id)}>
        {t("Stop retrying")}
      </button>
    </span>
  );
}

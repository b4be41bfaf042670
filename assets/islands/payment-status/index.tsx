import { useEffect, useState } from "react";

import { t } from "../../shared/i18n";
import { PAUSES, settle } from "../../shared/payments/orders";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";

type Props = { uid: string };

/** Waits until an order is settled, then shows the page of its outcome. */
export function Island({ uid }: Props) {
  const [round, setRound] = useState(0);
  const [isAsking, setAsking] = useState(true);
  useEffect(() => {
    let isOver = false;
    void settle(uid, round === 0 ? PAUSES : PAUSES.slice(0, 4))
      .catch(() => null)
      .then((order) => {
        if (isOver) return;
        if (order?.status === "paid" || order?.status === "canceled")
          location.assign(order.next_url);
        else setAsking(false);
      });
    return () => {
      isOver = true;
    };
  }, [uid, round]);
  return (
    <div className="notice notice--info" role="status">
      <Icon name="clock" className="notice__icon" />
      <p className="notice__title">{t("We're still waiting for your bank")}</p>
      <p className="notice__body">
        {t("Your order is saved. The course opens as soon as your bank approves.")}
      </p>
      <div className="notice__acts">
        <Button
          size="sm"
          isBusy={isAsking}
          onClick={() => {
            setAsking(true);
            setRound((before) => before + 1);
          }}
        >
          {isAsking ? t("Checking") : t("Check now")}
        </Button>
      </div>
    </div>
  );
}

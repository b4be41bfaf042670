import { useId, useState } from "react";

import { showSyncReport } from "../../offline/report";
import { type ChangeGroup, groupChanges } from "../../offline/controls/changes";
import { describeFailure } from "../../offline/controls/failures";
import type { Store } from "../../offline/controls/store";
import type { Account, WaitingChange } from "../../offline/types";
import { timeOfDay } from "../../shared/format";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";

type Props = {
  waiting: readonly WaitingChange[];
  account: Account;
  store: Store;
  isOnline: boolean;
  reload: () => Promise<void>;
};

/** What was done without a connection and is not sent yet. */
export function WaitingChanges({ waiting, account, store, isOnline, reload }: Props) {
  const heading = useId();
  const [isSending, setSending] = useState(false);

  const send = async (): Promise<void> => {
    setSending(true);
    try {
      showSyncReport(await store.sendChanges(account));
    } catch (reason) {
      toast(describeFailure(reason), { icon: "circle-alert" });
    }
    setSending(false);
    await reload();
  };
  return (
    <section aria-labelledby={heading}>
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id={heading}>
          {t("Waiting to be sent")}
        </h2>
      </div>
      <ul className="device">
        {groupChanges(waiting).map((group) => (
          <Group key={group.kind} group={group} />
        ))}
      </ul>
      <p className="small muted mt-3">
        {isOnline
          ? t("Sent automatically, in this order.")
          : t("Sent automatically, in this order, when you're back online.")}{" "}
        {t("If you also studied on another device, your latest position counts.")}
      </p>
      {isOnline && (
        <Button size="sm" className="mt-3" isBusy={isSending} onClick={() => void send()}>
          <Icon name="refresh-cw" />
          {t("Send now")}
        </Button>
      )}
    </section>
  );
}

function Group({ group }: { group: ChangeGroup }) {
  return (
    <li>
      <Icon name={group.icon} />
      <span>
        {group.label}
        <span className="small faint block">{group.detail}</span>
      </span>
      <time className="small faint num" dateTime={group.madeAt}>
        {timeOfDay(group.madeAt)}
      </time>
    </li>
  );
}

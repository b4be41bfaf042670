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
  changes: readonly WaitingChange[];
  account: Account;
  store: Store;
  isOnline: boolean;
  reload: () => Promise<void>;
};

/** What was done without a connection and is not sent yet, and what was refused. */
export function WaitingChanges({ changes, account, store, isOnline, reload }: Props) {
  const heading = useId();
  const [isSending, setSending] = useState(false);
  const waiting = changes.filter(({ refusal }) => refusal === null);
  const refused = changes.filter(({ refusal }) => refusal !== null);
  if (changes.length === 0) return null;

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
  const dismiss = async ({ change }: WaitingChange): Promise<void> => {
    await store.removeChange(account, change.id);
    await reload();
  };
  return (
    <section aria-labelledby={heading} id="waiting">
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id={heading}>
          {waiting.length > 0 ? t("Waiting to be sent") : t("Couldn't be saved")}
        </h2>
      </div>
      {refused.length > 0 && (
        <ul className="device device--refused">
          {refused.map((one) => (
            <li key={one.change.id}>
              <Icon name="circle-alert" className="is-error" label={t("Refused")} />
              <span>
                {one.title}
                <span className="small faint block">{one.refusal?.message}</span>
              </span>
              <button
                className="icon-btn icon-btn--sm"
                type="button"
                aria-label={t("Dismiss {change}", { change: one.title })}
                onClick={() => void dismiss(one)}
              >
                <Icon name="x" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {waiting.length > 0 && (
        <>
          <ul className="device">
            {groupChanges(waiting).map((group) => (
              <Group key={group.kind} group={group} />
            ))}
          </ul>
          <p className="small muted mt-3">
            {isOnline
              ? t("Sent automatically, in this order.")
              : t("Sent automatically, in this order, when you're back online.")}{" "}
            {t("If you also studied elsewhere, the furthest position wins.")}
          </p>
          {isOnline && (
            <Button size="sm" className="mt-3" isBusy={isSending} onClick={() => void send()}>
              <Icon name="refresh-cw" />
              {t("Send now")}
            </Button>
          )}
        </>
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

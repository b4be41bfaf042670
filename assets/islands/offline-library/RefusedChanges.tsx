import { useEffect, useId, useRef, useState } from "react";

import { labelOf } from "../../offline/controls/changes";
import type { Store } from "../../offline/controls/store";
import type { Account, WaitingChange } from "../../offline/types";
import { confirmFirst } from "../../shared/confirming";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { AnswersDialog } from "./AnswersDialog";
import { keepFocus } from "./keepFocus";

/** Where the message about refused changes leads (report.ts). */
const HASH = "#waiting";

type Props = {
  refused: readonly WaitingChange[];
  account: Account;
  store: Store;
  reload: () => Promise<void>;
};

/** What the server refused of what was done without a connection. It stays until its learner removes it. */
export function RefusedChanges({ refused, account, store, reload }: Props) {
  const heading = useId();
  const section = useRef<HTMLElement>(null);
  const [opened, setOpened] = useState<WaitingChange | null>(null);
  useEffect(() => {
    if (location.hash !== HASH) return;
    section.current?.scrollIntoView({ block: "center" });
    section.current?.focus({ preventScroll: true });
  }, []);
  const remove = async (change: WaitingChange): Promise<void> => {
    const isSure =
      !change.asked ||
      (await confirmFirst({
        title: t("Remove your answers to {quiz}?", { quiz: nameOf(change) }),
        text: t("They're only on this device. You can't get them back."),
        confirm: t("Remove"),
      }));
    if (!isSure) return;
    setOpened(null);
    await store.removeChange(account, change.change.id);
    await reload();
    keepFocus();
  };
  return (
    <section aria-labelledby={heading} id="waiting" ref={section} tabIndex={-1}>
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id={heading}>
          {t("Couldn't be saved")}
        </h2>
      </div>
      <ul className="device">
        {refused.map((one) => (
          <li key={one.change.id}>
            <Icon name="circle-alert" className="is-error" label={t("Refused")} />
            <span>
              {nameOf(one)}
              <span className="small faint block">{one.refusal?.message}</span>
              {one.asked && (
                <button
                  className="link small"
                  type="button"
                  aria-label={t("Your answers to {quiz}", { quiz: nameOf(one) })}
                  onClick={() => setOpened(one)}
                >
                  {t("Your answers")}
                </button>
              )}
            </span>
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              aria-label={t("Dismiss {change}", { change: nameOf(one) })}
              onClick={() => void remove(one)}
            >
              <Icon name="x" />
            </button>
          </li>
        ))}
      </ul>
      {opened && (
        <AnswersDialog
          refused={opened}
          name={nameOf(opened)}
          onRemove={() => void remove(opened)}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  );
}

const nameOf = (one: WaitingChange): string => one.title || labelOf(one.change.kind, [one]);

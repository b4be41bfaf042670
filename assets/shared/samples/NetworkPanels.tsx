import { type ReactNode, useId, useSyncExternalStore } from "react";

import { number, timeOfDay } from "../format";
import { t } from "../i18n";
import type { Fault, LogEntry, Network } from "./network";

const labels: Record<Fault, string> = {
  slow: t("Delay answers by two seconds"),
  reject: t("Reject every second change"),
  fail: t("Answer reads with an error"),
  offline: t("Go offline"),
};

type Props = {
  network: Network;
  /** The faults that the page can simulate. */
  faults: Fault[];
  /** Buttons below the switches. */
  children?: ReactNode;
};

/** The switches of the faults, and the log of the requests. */
export function NetworkPanels({ network, faults, children }: Props) {
  const state = useSyncExternalStore(network.subscribe, () => network.state);
  const id = useId();
  return (
    <>
      <fieldset className="panel panel__body">
        <legend className="vh">{t("Simulate failures")}</legend>
        <p className="medium" aria-hidden="true">
          {t("Simulate failures")}
        </p>
        <div className="stack mt-3">
          {faults.map((fault) => (
            <label key={fault} className="row row--between">
              <span>{labels[fault]}</span>
              <input
                className="switch"
                type="checkbox"
                role="switch"
                checked={state.faults.has(fault)}
                onChange={(event) => network.setFault(fault, event.target.checked)}
              />
            </label>
          ))}
        </div>
        <div className="row row--tight mt-4">{children}</div>
      </fieldset>
      <section className="panel panel__body" aria-labelledby={id}>
        <div className="row row--between">
          <h2 className="h5" id={id}>
            {t("Network log")}
          </h2>
          <button className="btn btn--quiet btn--sm" type="button" onClick={network.clearLog}>
            {t("Clear")}
          </button>
        </div>
        {state.log.length === 0 ? (
          <p className="small faint mt-2">{t("No requests yet.")}</p>
        ) : (
          <ol className="wire mt-2">
            {state.log.map((entry) => (
              <li key={entry.id}>
                <span className="faint">{timeOf(entry.at)}</span>
                <code>{entry.method}</code>
                <code>{entry.path.replace(/[0-9a-f]{8}(-[0-9a-f]+){4}/, "…")}</code>
                <Outcome entry={entry} />
              </li>
            ))}
          </ol>
        )}
      </section>
    </>
  );
}

function timeOf(at: number): string {
  return timeOfDay(at, true);
}

function Outcome({ entry: { outcome, seconds } }: { entry: LogEntry }) {
  const time = t("{seconds} s", { seconds: number(seconds) });
  if (typeof outcome === "number") {
    const isOk = outcome < 400;
    return (
      <span className={`badge ${isOk ? "badge--ok" : "badge--error"}`}>
        <span className={`pip ${isOk ? "pip--full" : "pip--bar"}`} aria-hidden="true" />
        {outcome}, {time}
      </span>
    );
  }
  const shown = {
    pending: { badge: "badge--info", pip: "pip--half", label: t("Pending") },
    cache: { badge: "", pip: "", label: t("From cache") },
    failed: { badge: "badge--error", pip: "pip--bar", label: t("No answer") },
    canceled: { badge: "", pip: "pip--dash", label: t("Canceled") },
  }[outcome];
  return (
    <span className={`badge ${shown.badge}`}>
      <span className={`pip ${shown.pip}`} aria-hidden="true" />
      {shown.label}
    </span>
  );
}

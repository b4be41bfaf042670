import { t } from "../i18n";

/** Shows that something is loading. `usePending` says when to show it. */
export function Spinner({ label = t("Loading") }: { label?: string }) {
  return (
    <span role="status">
      <span className="spin" aria-hidden="true" />
      <span className="vh">{label}</span>
    </span>
  );
}

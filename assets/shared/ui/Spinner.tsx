import { t } from "../i18n";

/** Something is on its way. Ask `usePending` whether it has been long enough to say so. */
export function Spinner({ label = t("Loading") }: { label?: string }) {
  return (
    <span role="status">
      <span className="spin" aria-hidden="true" />
      <span className="vh">{label}</span>
    </span>
  );
}

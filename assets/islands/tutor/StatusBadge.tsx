import { t } from "../../shared/i18n";

const looks: Record<string, [string, string]> = {
  online: ["badge--ok", "pip--full"],
  thinking: ["badge--info", "pip--half"],
  offline: ["", "pip--bar"],
  error: ["badge--error", "pip--dash"],
};

/** Online, Thinking, Offline or Error. */
export function StatusBadge({ status }: { status: string }) {
  const names: Record<string, string> = {
    online: t("Online"),
    thinking: t("Thinking"),
    offline: t("Offline"),
    error: t("Error"),
  };
  const [badge, pip] = looks[status] ?? ["", ""];
  return (
    <span className={`badge ${badge}`.trim()} role="status">
      <span className={`pip ${pip}`.trim()} aria-hidden="true" />
      {names[status] ?? names.online}
    </span>
  );
}

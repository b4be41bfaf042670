import { t } from "../../shared/i18n";
import type { FileItem } from "./api";

/** What the virus scan says of a file, as `scan_badge` of templates/files/_shared.html; nothing if it is clean. */
export function ScanBadge({ scan }: Pick<FileItem, "scan">) {
  if (scan === "pending") return <span className="badge">{t("Checking for viruses")}</span>;
  if (scan === "infected") return <span className="badge badge--error">{t("Infected")}</span>;
  if (scan === "too_large") return <span className="badge">{t("Not checked for viruses")}</span>;
  return null;
}

/** What can be done with a table, in the order of the menu. */
import { t } from "../i18n";

export type TableAction =
  | "row-above"
  | "row-below"
  | "column-before"
  | "column-after"
  | "align-left"
  | "align-center"
  | "align-right"
  | "remove-row"
  | "remove-column"
  | "remove-table";

export function listTableActions(): { id: TableAction; label: string }[] {
  return [
    { id: "row-above", label: t("Insert row above") },
    { id: "row-below", label: t("Insert row below") },
    { id: "column-before", label: t("Insert column before") },
    { id: "column-after", label: t("Insert column after") },
    { id: "align-left", label: t("Align column left") },
    { id: "align-center", label: t("Center column") },
    { id: "align-right", label: t("Align column right") },
    { id: "remove-row", label: t("Delete row") },
    { id: "remove-column", label: t("Delete column") },
    { id: "remove-table", label: t("Delete table") },
  ];
}

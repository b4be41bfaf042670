/**
 * Renames a row where its title stands: Enter keeps it, Escape doesn't. The field is there before the next key, so this
 * is loaded with the outline.
 */
import { t } from "../shared/i18n";
import { titleOf } from "./rows";

const MAX_TITLE_LENGTH = 120; // characters, as in apps/courses/models/outline.py

/** @param onRename called with a new title; the row shows it already */
export function renameRow(row: HTMLElement, onRename: (title: string, was: string) => void): void {
  const shown = row.querySelector<HTMLElement>("[data-title]");
  if (!shown || row.querySelector("[data-renaming]")) return;
  const was = titleOf(row);
  const field = document.createElement("input");
  field.className = "input unit__renaming";
  field.value = was;
  field.maxLength = MAX_TITLE_LENGTH;
  field.dataset.renaming = "";
  field.setAttribute("aria-label", t("New title of “{title}”", { title: was }));
  shown.hidden = true;
  shown.after(field);
  field.focus();
  field.select();
  let isOver = false;
  const end = (isKept: boolean, takesFocus: boolean): void => {
    if (isOver) return;
    isOver = true;
    const title = field.value.trim().replace(/\s+/g, " ");
    field.remove();
    shown.hidden = false;
    if (takesFocus) (shown.closest<HTMLElement>("summary") ?? shown).focus();
    if (!isKept || title === "" || title === was) return;
    shown.textContent = title;
    onRename(title, was);
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      end(event.key === "Enter", true);
    }
  });
  // A space in a summary would fold the section.
  for (const kind of ["click", "keyup", "dblclick"])
    field.addEventListener(kind, (event) => {
      event.stopPropagation();
      event.preventDefault();
    });
  field.addEventListener("blur", () => end(true, false));
}

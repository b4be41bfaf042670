/** What can be done with the selected lessons, in a bar at the foot of the window. Loaded with the first selection. */
import { drawIcon } from "../shared/icons";
import { t, tn } from "../shared/i18n";
import type { Settings } from "./outlineCalls";
import { listOfSection, numberOf, type Place, rowsOf, titleOf } from "./rows";

export type BulkActions = {
  onMove: (place: Place) => void;
  onDuplicate: () => void;
  onSet: (settings: Settings) => void;
  /** Asks when the lessons open. */
  onOpening: () => void;
  /** Asks for the course to which they are copied or moved. */
  onSend: () => void;
  onRemove: () => void;
  onClear: () => void;
};

/** @returns a function that shows the bar for so many lessons; for none, it is removed */
export function createBulkBar(
  outline: HTMLElement,
  { onMove, onDuplicate, onSet, onOpening, onSend, onRemove, onClear }: BulkActions,
): (count: number) => void {
  const bar = document.createElement("div");
  bar.className = "bulk";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", t("Selected lessons"));
  const said = document.createElement("p");
  said.className = "bulk__count num";

  const button = (label: string, onPress: () => void): HTMLButtonElement => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "btn btn--quiet btn--sm";
    made.textContent = label;
    made.addEventListener("click", onPress);
    return made;
  };
  const choice = (label: string, options: () => [string, () => void][]): HTMLSelectElement => {
    const made = document.createElement("select");
    made.className = "select bulk__choice";
    made.setAttribute("aria-label", label);
    let acts: (() => void)[] = [];
    const fill = (): void => {
      const found = options();
      acts = found.map(([, act]) => act);
      made.replaceChildren(
        new Option(label, ""),
        ...found.map(([text], at) => new Option(text, String(at))),
      );
    };
    fill();
    made.addEventListener("pointerdown", fill);
    made.addEventListener("focus", fill);
    made.addEventListener("change", () => {
      const act = made.value === "" ? undefined : acts[Number(made.value)];
      made.value = "";
      act?.();
    });
    return made;
  };

  const sections = (): [string, () => void][] =>
    rowsOf(outline).flatMap((section) => {
      const list = listOfSection(section);
      return list
        ? [[`${numberOf(section)} ${titleOf(section)}`, () => onMove({ list, before: null })]]
        : [];
    });
  const clear = button("", onClear);
  clear.className = "icon-btn icon-btn--sm bulk__clear";
  clear.append(drawIcon("x"));
  clear.setAttribute("aria-label", t("Clear selection"));
  bar.append(
    said,
    choice(t("Move to …"), sections),
    choice(t("Set …"), () => [
      [t("Preview lesson"), () => onSet({ is_preview: true })],
      [t("Not a preview"), () => onSet({ is_preview: false })],
      [t("Optional lesson"), () => onSet({ is_optional: true })],
      [t("Required lesson"), () => onSet({ is_optional: false })],
    ]),
    button(t("Opens …"), onOpening),
    button(t("Duplicate"), onDuplicate),
    button(t("Other course …"), onSend),
    button(t("Delete"), onRemove),
    clear,
  );
  return (count) => {
    said.textContent = tn("{count} lesson selected", "{count} lessons selected", count);
    if (count === 0) bar.remove();
    else if (!bar.isConnected) outline.after(bar);
  };
}

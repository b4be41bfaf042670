/** Which lessons are selected: by their boxes, by Space, and with Shift up to another one. */
import { announce } from "../shared/announce";
import { tn } from "../shared/i18n";
import { lessonsOf, uidOf } from "./rows";

export type Selection = ReturnType<typeof createSelection>;

const boxOf = (row: HTMLElement): HTMLInputElement | null =>
  row.querySelector<HTMLInputElement>("[data-pick]");

export function createSelection(outline: HTMLElement, onChange: (rows: HTMLElement[]) => void) {
  const chosen = new Set<string>();
  /** Where a range begins. */
  let anchor: HTMLElement | null = null;

  const rows = (): HTMLElement[] => lessonsOf(outline).filter((row) => chosen.has(uidOf(row)));

  function show(): void {
    for (const row of lessonsOf(outline)) {
      const isChosen = chosen.has(uidOf(row));
      row.classList.toggle("is-chosen", isChosen);
      const box = boxOf(row);
      if (box) box.checked = isChosen;
    }
    const found = rows();
    outline.classList.toggle("is-picking", found.length > 0);
    onChange(found);
    announce(tn("{count} lesson selected", "{count} lessons selected", found.length));
  }

  function toggle(row: HTMLElement, isRange: boolean): void {
    const all = lessonsOf(outline);
    const isChosen = !chosen.has(uidOf(row));
    const from = isRange && anchor ? all.indexOf(anchor) : -1;
    const to = all.indexOf(row);
    const range = from < 0 ? [row] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
    for (const one of range)
      if (isChosen || from >= 0) chosen.add(uidOf(one));
      else chosen.delete(uidOf(one));
    anchor = row;
    show();
  }

  function clear(): void {
    if (chosen.size === 0) return;
    chosen.clear();
    anchor = null;
    show();
  }

  outline.addEventListener("click", (event) => {
    const box = (event.target as Element).closest<HTMLInputElement>("[data-pick]");
    const row = box?.closest<HTMLElement>("[data-lesson]");
    if (row) toggle(row, event.shiftKey);
  });

  return {
    rows,
    toggle,
    clear,
    /** The rows that an action on this one concerns: all selected, if it is one of them. */
    rowsWith: (row: HTMLElement): HTMLElement[] => (chosen.has(uidOf(row)) ? rows() : [row]),
    /** Rows were removed or replaced: forget those that are gone. */
    refresh: (): void => {
      const known = new Set(lessonsOf(outline).map(uidOf));
      const gone = [...chosen].filter((uid) => !known.has(uid));
      if (gone.length === 0) return;
      for (const uid of gone) chosen.delete(uid);
      show();
    },
  };
}

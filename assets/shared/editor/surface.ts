/** Where a text is written: the page's textarea, or the live editor over it (liveSurface.ts). */
import { applyToField, type Edit, type Selection } from "./editing";

export type Surface = {
  /** What has the focus: it gets the keys, and the attributes of a combobox while options are shown. */
  element: HTMLElement;
  read: () => Selection;
  /** Replace a part as one step that can be undone, select what the edit says, and focus. */
  apply: (edit: Edit) => void;
  /** Replace a part wherever the user writes meanwhile: the caret stays where it is in what they write. */
  replace: (from: number, to: number, insert: string) => void;
  /** Replace the whole text: a draft that comes back. */
  setText: (text: string) => void;
  focus: () => void;
  setHidden: (isHidden: boolean) => void;
};

/** A textarea as it is: undo, spelling and input methods are the browser's. */
export function createPlainSurface(field: HTMLTextAreaElement): Surface {
  const tell = (): void => {
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  return {
    element: field,
    read: () => ({ text: field.value, start: field.selectionStart, end: field.selectionEnd }),
    apply: (edit) => applyToField(field, edit),
    replace: (from, to, insert) => {
      const { selectionStart, selectionEnd } = field;
      const moved = (place: number): number =>
        place >= to ? place + insert.length - (to - from) : Math.min(place, from + insert.length);
      field.setRangeText(insert, from, to);
      field.setSelectionRange(moved(selectionStart), moved(selectionEnd));
      tell();
    },
    setText: (text) => {
      field.value = text;
      tell();
    },
    focus: () => field.focus(),
    setHidden: (isHidden) => {
      field.hidden = isHidden;
    },
  };
}

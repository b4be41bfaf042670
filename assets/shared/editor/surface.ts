/** Where a text is written: the page's textarea, or the live editor over it (liveSurface.ts). */
import { difference, movePlace } from "./changes";
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
  /** Take over what was changed elsewhere: the caret stays, and undo takes back only what was written here. */
  update: (text: string) => void;
  focus: () => void;
  setHidden: (isHidden: boolean) => void;
};

/** A textarea as it is: undo, spelling and input methods are the browser's. */
export function createPlainSurface(field: HTMLTextAreaElement): Surface {
  const tell = (): void => {
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const update = (text: string): void => {
    const changes = [difference(field.value, text)];
    const { selectionStart, selectionEnd, selectionDirection } = field;
    field.value = text;
    if (document.activeElement === field)
      field.setSelectionRange(
        movePlace(changes, selectionStart),
        movePlace(changes, selectionEnd),
        selectionDirection,
      );
    tell();
  };
  return {
    element: field,
    read: () => ({ text: field.value, start: field.selectionStart, end: field.selectionEnd }),
    apply: (edit) => applyToField(field, edit),
    replace: (from, to, insert) =>
      update(field.value.slice(0, from) + insert + field.value.slice(to)),
    setText: (text) => {
      field.value = text;
      tell();
    },
    update,
    focus: () => field.focus(),
    setHidden: (isHidden) => {
      field.hidden = isHidden;
    },
  };
}

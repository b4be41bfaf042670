/** Where a text is written: the page's textarea, or the live editor over it (liveSurface.ts). */
import { difference, movePlace } from "./changes";
import { applyToField, type Edit, type Selection } from "./editing";
import type { Picture } from "./pictures";
import type { TableAction } from "./tableActions";

export type LiveTools = {
  /** Whether the caret is in a table. */
  isInTable: () => boolean;
  changeTable: (action: TableAction) => void;
  /** Tells when the text or the caret changed. */
  subscribe: (listener: () => void) => () => void;
  /** Whether what is pasted stays as it is: in code and formulas. */
  isInSource: () => boolean;
  /** Ask what a picture shows, beside the file itself; null: not answered. */
  describePicture: (file: File) => Promise<Picture | null>;
  openSearch: () => void;
};

/** A place that is held for a file on its way. */
export type Hold = {
  /** Put the Markdown there, wherever the place is now. */
  fill: (markdown: string, isPicture: boolean) => void;
  release: () => void;
};

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
  /** Hold a place: in the place of the selection, or `at` a place of the text. */
  hold: (label: string, at?: number) => Hold;
  /** Where the caret is on the screen; null where that is not known. */
  findCaret: () => { left: number; right: number; top: number; bottom: number } | null;
  /** What only the live editor can do. */
  live: LiveTools | null;
  focus: () => void;
  setHidden: (isHidden: boolean) => void;
};

let holdCount = 0;

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
  const replace = (from: number, to: number, insert: string): void =>
    update(field.value.slice(0, from) + insert + field.value.slice(to));
  return {
    element: field,
    read: () => ({ text: field.value, start: field.selectionStart, end: field.selectionEnd }),
    apply: (edit) => applyToField(field, edit),
    replace,
    setText: (text) => {
      field.value = text;
      tell();
    },
    update,
    // A textarea shows nothing but text: the place is held by words.
    hold: (label, at) => {
      const { value, selectionStart, selectionEnd } = field;
      const [from, to] = at === undefined ? [selectionStart, selectionEnd] : [at, at];
      const words = `![${label} ${(holdCount += 1)}…]()`;
      const gap = from > 0 && !/\s/.test(value[from - 1] ?? "") ? " " : "";
      const after = from + gap.length + words.length;
      applyToField(field, { from, to, insert: gap + words, start: after, end: after });
      const put = (markdown: string): void => {
        const place = field.value.indexOf(words);
        if (place >= 0) replace(place, place + words.length, markdown);
      };
      return { fill: put, release: () => put("") };
    },
    findCaret: () => null,
    live: null,
    focus: () => field.focus(),
    setHidden: (isHidden) => {
      field.hidden = isHidden;
    },
  };
}

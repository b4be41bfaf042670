/** The live editor: CodeMirror over a textarea of the page. Loaded when somebody edits (docs/adr/0058). */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { indentUnit } from "@codemirror/language";
import { Annotation, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";

import type { Edit } from "./editing";
import { continueList } from "./lists";
import { type LivePreviewOptions, livePreview, piecesArrived } from "./livePreview";
import { contentLanguage } from "./markdownLanguage";
import { PieceRenderer, type RenderPiece } from "./rendering";
import type { Surface } from "./surface";
import { moveToCell } from "./tables";

/** Changes that a script made, such as the address of an uploaded picture. */
const byScript = Annotation.define<boolean>();

export type LiveOptions = Pick<LivePreviewOptions, "editPicture" | "isOwnPicture"> & {
  renderPiece: RenderPiece;
  /** Of the page's styles: the policy of the page refuses others. */
  nonce: string;
  extensions?: Extension;
};

export type LiveSurface = Surface & { view: EditorView; destroy: () => void };

/** The attributes by which assistive technology knows the field. */
function attributesOf(field: HTMLTextAreaElement): Record<string, string> {
  const label = field.labels[0];
  if (label && !label.id) label.id = `${field.id || field.name}-label`;
  const attributes: Record<string, string> = {
    class: "ed-content",
    spellcheck: "true",
    autocapitalize: "sentences",
    autocorrect: "on",
    "aria-multiline": "true",
  };
  if (label) attributes["aria-labelledby"] = label.id;
  else if (field.ariaLabel) attributes["aria-label"] = field.ariaLabel;
  for (const name of ["aria-describedby", "aria-invalid", "lang", "dir"]) {
    const value = field.getAttribute(name);
    if (value !== null) attributes[name] = value;
  }
  if (field.required) attributes["aria-required"] = "true";
  return attributes;
}

/**
 * Put the live editor in the place of a textarea. The textarea stays in the form with the same text, so that whatever
 * reads or sends it works as before; an "input" event of the textarea that the editor has not caused is taken over.
 * Text, selection and focus are those that the textarea had.
 */
export function createLiveSurface(field: HTMLTextAreaElement, options: LiveOptions): LiveSurface {
  let isTelling = false;
  const pieces = new PieceRenderer(options.renderPiece, () => {
    view.dispatch({ effects: piecesArrived.of(null) });
  });
  const tell = EditorView.updateListener.of(({ docChanged, state }) => {
    if (!docChanged) return;
    isTelling = true;
    field.value = state.doc.toString();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    isTelling = false;
  });
  const hadFocus = document.activeElement === field;
  const view = new EditorView({
    state: EditorState.create({
      doc: field.value,
      selection: { anchor: field.selectionStart, head: field.selectionEnd },
      extensions: [
        options.nonce ? EditorView.cspNonce.of(options.nonce) : [],
        history(),
        contentLanguage,
        indentUnit.of("  "),
        EditorView.lineWrapping,
        EditorView.editorAttributes.of({ class: "ed" }),
        EditorView.contentAttributes.of(() => attributesOf(field)),
        EditorState.lineSeparator.of("\n"),
        EditorState.readOnly.of(field.readOnly || field.disabled),
        EditorView.editable.of(!field.disabled),
        field.placeholder ? placeholder(field.placeholder) : [],
        livePreview({ ...options, pieces }),
        options.extensions ?? [],
        keymap.of([
          { key: "Enter", run: continueList },
          { key: "Tab", run: moveToCell(1) },
          { key: "Shift-Tab", run: moveToCell(-1) },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        tell,
      ],
    }),
  });
  field.after(view.dom);
  field.hidden = true;

  const onInput = (): void => {
    const text = view.state.doc.toString();
    if (isTelling || field.value === text) return;
    view.dispatch({ changes: difference(text, field.value), annotations: byScript.of(true) });
  };
  /** The browser cannot show its message at a hidden field. */
  const onInvalid = (event: Event): void => {
    event.preventDefault();
    view.focus();
  };
  const label = field.labels[0];
  const onLabel = (event: Event): void => {
    event.preventDefault();
    view.focus();
  };
  const watch = new MutationObserver(() => view.dispatch({})); // aria-invalid of the field
  watch.observe(field, { attributeFilter: ["aria-invalid", "aria-describedby"] });
  field.addEventListener("input", onInput);
  field.addEventListener("invalid", onInvalid);
  label?.addEventListener("click", onLabel);
  if (hadFocus) view.focus();

  return {
    view,
    element: view.contentDOM,
    read: () => {
      const { from, to } = view.state.selection.main;
      return { text: view.state.doc.toString(), start: from, end: to };
    },
    apply: ({ from, to, insert, start, end }: Edit) => {
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: start, head: end },
        scrollIntoView: true,
        userEvent: "input",
      });
      view.focus();
    },
    replace: (from, to, insert) => {
      view.dispatch({ changes: { from, to, insert }, annotations: byScript.of(true) });
    },
    setText: (text) => {
      view.dispatch({ changes: difference(view.state.doc.toString(), text) });
    },
    focus: () => view.focus(),
    setHidden: (isHidden) => {
      view.dom.hidden = isHidden;
    },
    destroy: () => {
      pieces.stop();
      watch.disconnect();
      field.removeEventListener("input", onInput);
      field.removeEventListener("invalid", onInvalid);
      label?.removeEventListener("click", onLabel);
      view.destroy();
      field.hidden = false;
    },
  };
}

/** The smallest replacement that makes one text of another, so that the caret and the undo history stay in place. */
export function difference(
  old: string,
  next: string,
): { from: number; to: number; insert: string } {
  let from = 0;
  const shortest = Math.min(old.length, next.length);
  while (from < shortest && old[from] === next[from]) from++;
  let end = 0;
  while (end < shortest - from && old[old.length - 1 - end] === next[next.length - 1 - end]) end++;
  // Never between the halves of a character.
  if (from > 0 && isHighHalf(old.charCodeAt(from - 1))) from--;
  if (end > 0 && isLowHalf(old.charCodeAt(old.length - end))) end--;
  return { from, to: old.length - end, insert: next.slice(from, next.length - end) };
}

const isHighHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLowHalf = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

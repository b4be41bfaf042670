/** The live editor: CodeMirror over a textarea of the page. Loaded when somebody edits (docs/adr/0061). */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { indentUnit, syntaxTree } from "@codemirror/language";
import { Compartment, EditorState, type Extension, Transaction } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";

import type { Edit } from "./editing";
import { findChanges } from "./findChanges";
import { fillPlace, holdPlace, holdPlaces } from "./holds";
import { continueList } from "./lists";
import { type LivePreviewOptions, livePreview, piecesArrived } from "./livePreview";
import { contentLanguage } from "./markdownLanguage";
import { PieceRenderer, type RenderPiece } from "./rendering";
import type { Picture } from "./pictures";
import { placePicture } from "./placing";
import type { LiveTools, Surface } from "./surface";
import { changeTable, moveDown, moveToCell, tableAround } from "./tables";

/** Changes from elsewhere: undo does not take them back, but moves what it takes back along with them. */
const elsewhere = [Transaction.addToHistory.of(false), Transaction.remote.of(true)];

export type LiveOptions = Pick<LivePreviewOptions, "editPicture" | "isOwnPicture"> & {
  renderPiece: RenderPiece;
  describePicture: (file: File) => Promise<Picture | null>;
  /** Whether the place has no blocks: pictures stay in the line. */
  isPhrasing: boolean;
  /** Of the page's styles: the policy of the page refuses others. */
  nonce: string;
  extensions?: Extension;
};

export type LiveSurface = Surface & { live: LiveTools; view: EditorView; destroy: () => void };

/** Where a mark has no meaning. */
const sources = new Set([
  "FencedCode",
  "CodeBlock",
  "CodeText",
  "InlineCode",
  "Formula",
  "FormulaBlock",
]);

function isInSource(state: EditorState): boolean {
  const { from, to } = state.selection.main;
  let node = syntaxTree(state).resolveInner(from, from === to ? -1 : 1);
  while (!sources.has(node.name) && node.parent) node = node.parent;
  // Behind the last mark of a code span one is out of it.
  return sources.has(node.name) && node.from < from && (node.to > to || node.type.is("CodeText"));
}

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

/** Whether the text may be changed, as the field says. */
const accessOf = (field: HTMLTextAreaElement): Extension => [
  EditorState.readOnly.of(field.readOnly || field.matches(":disabled")),
  EditorView.editable.of(!field.matches(":disabled")),
];

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
  const listeners = new Set<() => void>();
  const tell = EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (selectionSet || docChanged) for (const listener of listeners) listener();
    if (!docChanged) return;
    isTelling = true;
    field.value = state.doc.toString();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    isTelling = false;
  });
  const access = new Compartment();
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
        EditorView.perLineTextDirection.of(true),
        EditorView.editorAttributes.of({ class: "ed" }),
        EditorView.contentAttributes.of(() => attributesOf(field)),
        EditorState.lineSeparator.of("\n"),
        access.of(accessOf(field)),
        field.placeholder ? placeholder(field.placeholder) : [],
        livePreview({ ...options, pieces }),
        holdPlaces,
        options.extensions ?? [],
        keymap.of([
          { key: "Enter", run: moveDown },
          { key: "Enter", run: continueList },
          { key: "Mod-f", run: () => (openSearch(), true) },
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
  // It can still be focused: by its label, by a link to it, and by the browser when it is required and empty.
  field.classList.add("ed-field");
  field.setAttribute("aria-hidden", "true");
  const { tabIndex } = field;
  field.tabIndex = -1;

  const update = (text: string): void => {
    const changes = findChanges(view.state.doc.toString(), text);
    if (changes.length > 0) view.dispatch({ changes, annotations: elsewhere });
  };
  const openSearch = (): void => {
    void import("./search").then(({ openSearchIn }) => openSearchIn(view));
  };
  const onInput = (): void => {
    if (!isTelling) update(field.value);
  };
  const onFocus = (): void => view.focus();
  const watch = new MutationObserver(() =>
    view.dispatch({ effects: access.reconfigure(accessOf(field)) }),
  );
  watch.observe(field, {
    attributeFilter: ["aria-invalid", "aria-describedby", "disabled", "readonly"],
  });
  field.addEventListener("input", onInput);
  field.addEventListener("focus", onFocus);
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
      view.dispatch({ changes: { from, to, insert } });
    },
    setText: (text) => {
      view.dispatch({ changes: findChanges(view.state.doc.toString(), text) });
    },
    update,
    hold: (label, at) => {
      const { from, to } = view.state.selection.main;
      if (at === undefined && from < to)
        view.dispatch({ changes: { from, to }, userEvent: "delete" });
      const id = holdPlace(view, at ?? from, label);
      return {
        fill: (markdown, isPicture) =>
          fillPlace(view, id, (state, place) => {
            const text = state.doc.toString();
            if (isPicture && !options.isPhrasing) return placePicture(text, place, markdown);
            return (place > 0 && /\S/.test(text[place - 1] ?? "") ? " " : "") + markdown;
          }),
        release: () => fillPlace(view, id, () => ""),
      };
    },
    findCaret: () => view.coordsAtPos(view.state.selection.main.head),
    live: {
      isInTable: () => tableAround(view.state) !== null,
      changeTable: (action) => {
        const spec = changeTable(view.state, action);
        if (spec) view.dispatch({ ...spec, scrollIntoView: true, userEvent: "input" });
        view.focus();
      },
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      isInSource: () => isInSource(view.state),
      describePicture: options.describePicture,
      openSearch,
    },
    focus: () => view.focus(),
    setHidden: (isHidden) => {
      view.dom.hidden = isHidden;
    },
    destroy: () => {
      pieces.stop();
      watch.disconnect();
      field.removeEventListener("input", onInput);
      field.removeEventListener("focus", onFocus);
      field.classList.remove("ed-field");
      field.removeAttribute("aria-hidden");
      field.tabIndex = tabIndex;
      view.destroy();
    },
  };
}

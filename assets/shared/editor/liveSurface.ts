/** The live editor: CodeMirror over a textarea of the page. Loaded when somebody edits (docs/adr/0061). */
import {
  copyLineDown,
  copyLineUp,
  deleteLine,
  history,
  historyKeymap,
  moveLineDown,
  moveLineUp,
  redo,
  standardKeymap,
} from "@codemirror/commands";
import { indentUnit, syntaxTree } from "@codemirror/language";
import type { SyntaxNode } from "@lezer/common";
import {
  Compartment,
  EditorSelection,
  EditorState,
  type Extension,
  Transaction,
} from "@codemirror/state";
import { EditorView, type KeyBinding, keymap, placeholder } from "@codemirror/view";

import { t } from "../i18n";
import { LINE_SELECTED } from "../openLine";
import { toast } from "../toasts";
import type { Edit } from "./editing";
import { findChanges } from "./findChanges";
import { fillPlace, holdPlace, holdPlaces } from "./holds";
import { continueList, moveIn, moveOut } from "./lists";
import { type LivePreviewOptions, livePreview, piecesArrived } from "./livePreview";
import { contentLanguage } from "./markdownLanguage";
import { PieceRenderer, type RenderPiece } from "./rendering";
import type { Picture } from "./pictures";
import { placePicture } from "./placing";
import type { LiveTools, Surface } from "./surface";
import { changeTable, moveDown, moveToCell, tableAround } from "./tables";

/** Characters from which the textarea follows a moment later; before anything reads it to send or keep it, it has. */
const LONG_TEXT = 20_000;
const TELL_PAUSE_MS = 200;
/** Pixels that stay visible above and below a caret that the editor takes over. */
const CARET_MARGIN = 120;

/** Of the keys for programs, those that help with texts too, and a usual key for redoing. */
const lineKeys: readonly KeyBinding[] = [
  { key: "Alt-ArrowUp", run: moveLineUp, shift: copyLineUp },
  { key: "Alt-ArrowDown", run: moveLineDown, shift: copyLineDown },
  { key: "Shift-Mod-k", run: deleteLine },
  // The package has this for macOS and Linux only.
  { key: "Mod-Shift-z", run: redo, preventDefault: true },
];

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

/** Whether the selection is in code or a formula, where marks have no meaning. */
function isInSource(state: EditorState): boolean {
  const { from, to } = state.selection.main;
  for (const side of [-1, 1] as const) {
    for (
      let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, side);
      node;
      node = node.parent
    ) {
      const { name } = node;
      if (name === "CodeBlock") return true;
      if (name === "InlineCode" || name === "Formula" || name === "FormulaBlock") {
        if (node.from < from && to < node.to) return true;
      } else if (name === "FencedCode") {
        const [open, close] = node.getChildren("CodeMark");
        const begins = state.doc.lineAt(open?.to ?? node.from).to;
        if (from > begins && (!close || to < close.from)) return true;
      }
    }
  }
  return false;
}

const keysIdOf = (field: HTMLTextAreaElement): string => `${field.id || field.name}-keys`;

/** What screen readers say of the keys that mean something else here. */
function describeKeys(field: HTMLTextAreaElement): HTMLElement {
  const words = document.createElement("span");
  words.id = keysIdOf(field);
  words.hidden = true;
  words.textContent = t(
    "Tab goes through tables and indents items of lists. To leave the text, press Escape, then Tab.",
  );
  return words;
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
  for (const name of ["aria-invalid", "lang", "dir"]) {
    const value = field.getAttribute(name);
    if (value !== null) attributes[name] = value;
  }
  const described = field.getAttribute("aria-describedby") ?? "";
  attributes["aria-describedby"] = `${described} ${keysIdOf(field)}`.trim();
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
  let waiting: ReturnType<typeof setTimeout> | undefined;
  /** Write the text into the field, and tell those who listen. */
  const tellNow = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    const text = view.state.doc.toString();
    if (field.value === text) return;
    isTelling = true;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    isTelling = false;
  };
  const tellLeft = (): void => {
    if (waiting !== undefined) tellNow();
  };
  const tell = EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (selectionSet || docChanged) for (const listener of listeners) listener();
    if (!docChanged) return;
    // Copying a long text takes longer than typing a letter, so it waits for a pause.
    if (state.doc.length <= LONG_TEXT) tellNow();
    else waiting ??= setTimeout(tellNow, TELL_PAUSE_MS);
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
          { key: "Tab", run: moveIn },
          { key: "Shift-Tab", run: moveToCell(-1) },
          { key: "Shift-Tab", run: moveOut },
          ...historyKeymap,
          ...lineKeys,
          ...standardKeymap,
        ]),
        tell,
      ],
    }),
  });
  const keys = describeKeys(field);
  field.after(view.dom, keys);
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
    import("./search").then(
      ({ openSearchIn }) => openSearchIn(view),
      () => toast(t("The search could not be loaded. Check your connection, then try again.")),
    );
  };
  const onInput = (): void => {
    // What was typed since is older than what a script writes now.
    if (!isTelling) update(field.value);
  };
  const onFocus = (): void => view.focus();
  const showSelection = (range: { anchor: number; head: number }): void => {
    const selection = EditorSelection.single(range.anchor, range.head);
    const shown = EditorView.scrollIntoView(selection.main, { yMargin: CARET_MARGIN });
    view.dispatch({ selection, effects: shown });
  };
  const onLine = (): void => {
    view.focus();
    const { length } = view.state.doc;
    const [anchor, head] = [field.selectionStart, field.selectionEnd];
    showSelection({ anchor: Math.min(anchor, length), head: Math.min(head, length) });
  };
  const watch = new MutationObserver(() =>
    view.dispatch({ effects: access.reconfigure(accessOf(field)) }),
  );
  watch.observe(field, {
    attributeFilter: ["aria-invalid", "aria-describedby", "disabled", "readonly"],
  });
  field.addEventListener("input", onInput);
  field.addEventListener("focus", onFocus);
  field.addEventListener(LINE_SELECTED, onLine);
  view.contentDOM.addEventListener("blur", tellLeft);
  const early = { capture: true };
  addEventListener("submit", tellLeft, early);
  addEventListener("formdata", tellLeft, early);
  document.addEventListener("visibilitychange", tellLeft, early);
  if (hadFocus) {
    view.focus();
    const { main } = view.state.selection;
    if (main.head > 0) showSelection(main);
  }

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
      tellLeft();
      removeEventListener("submit", tellLeft, early);
      removeEventListener("formdata", tellLeft, early);
      document.removeEventListener("visibilitychange", tellLeft, early);
      pieces.stop();
      watch.disconnect();
      field.removeEventListener("input", onInput);
      field.removeEventListener("focus", onFocus);
      field.removeEventListener(LINE_SELECTED, onLine);
      field.classList.remove("ed-field");
      field.removeAttribute("aria-hidden");
      field.tabIndex = tabIndex;
      view.destroy();
      keys.remove();
    },
  };
}

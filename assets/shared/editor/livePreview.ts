/**
 * Shows Markdown nearly as the page will, while it stays Markdown: marks are hidden and pictures, formulas and tables
 * are drawn, except where the caret is. The text is never changed by this.
 */
import { syntaxTree } from "@codemirror/language";
import {
  type EditorState,
  type Extension,
  type Range,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";

import { t } from "../i18n";
import { attributesAfter, type Picture, readPicture } from "./pictures";
import type { PieceRenderer } from "./rendering";

/** Pieces have arrived from the server: draw again. */
export const piecesArrived = StateEffect.define();

export type LivePreviewOptions = {
  pieces: PieceRenderer;
  /** Opens the dialog for a picture's alternative text, caption and width. */
  editPicture: (view: EditorView, from: number, to: number, picture: Picture) => void;
  /** Only pictures with these addresses are shown; others become links on the page, as on the server. */
  isOwnPicture: (address: string) => boolean;
};

const HIDDEN = Decoration.replace({});
/** Source within a line: code, and a formula while the caret is in it. */
const SOURCE = Decoration.mark({ class: "ed-code" });
const marks: Record<string, Decoration> = {
  Emphasis: Decoration.mark({ class: "ed-emphasis" }),
  StrongEmphasis: Decoration.mark({ class: "ed-strong" }),
  Strikethrough: Decoration.mark({ class: "ed-strike" }),
  InlineCode: SOURCE,
  Link: Decoration.mark({ class: "ed-link" }),
  Autolink: Decoration.mark({ class: "ed-link" }),
};
const DIM = Decoration.mark({ class: "ed-mark" });
const lineClass = (name: string): Decoration => Decoration.line({ class: name });
const HEADING = /^(?:ATX|Setext)Heading(\d)$/;
const CALLOUT = /^\s*>\s*\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]/i;

/** Whether the caret or a selection touches a range: then its marks are shown. */
function isTouched(view: EditorView, from: number, to: number): boolean {
  return (
    view.hasFocus && view.state.selection.ranges.some((one) => one.from <= to && one.to >= from)
  );
}

class PictureWidget extends WidgetType {
  constructor(
    private readonly picture: Picture,
    private readonly from: number,
    private readonly to: number,
    private readonly edit: LivePreviewOptions["editPicture"],
  ) {
    super();
  }

  override eq(other: PictureWidget): boolean {
    return (
      JSON.stringify(this.picture) === JSON.stringify(other.picture) &&
      this.from === other.from &&
      this.to === other.to
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    const { address, alt, caption, isDecorative, width } = this.picture;
    const box = document.createElement("span");
    box.className = "ed-picture";
    const image = document.createElement("img");
    image.src = address;
    image.alt = alt;
    if (width !== null) image.style.width = `${width}%`;
    image.addEventListener("load", () => view.requestMeasure());
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn--sm ed-picture__edit";
    const isMissing = alt === "" && !isDecorative;
    if (isMissing) button.classList.add("ed-picture__edit--missing");
    button.textContent = isMissing ? t("Add alternative text") : t("Edit picture");
    button.addEventListener("click", (event) => {
      event.preventDefault();
      this.edit(view, this.from, this.to, this.picture);
    });
    box.append(image);
    if (caption) {
      const words = document.createElement("span");
      words.className = "ed-picture__caption";
      words.textContent = caption;
      box.append(words);
    }
    box.append(button);
    return box;
  }

  override ignoreEvent(event: Event): boolean {
    return event.target instanceof HTMLButtonElement;
  }
}

/** A piece that the server has rendered. Clicking it puts the caret into its source. */
class PieceWidget extends WidgetType {
  constructor(
    private readonly html: string,
    private readonly isBlock: boolean,
    private readonly at: number,
  ) {
    super();
  }

  override eq(other: PieceWidget): boolean {
    return this.html === other.html && this.isBlock === other.isBlock && this.at === other.at;
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement(this.isBlock ? "div" : "span");
    box.className = this.isBlock ? "ed-piece prose" : "ed-formula";
    box.innerHTML = this.html; // sanitized by the server
    for (const focusable of box.querySelectorAll("[tabindex]"))
      focusable.removeAttribute("tabindex");
    box.addEventListener("mousedown", (event) => {
      event.preventDefault();
      view.dispatch({ selection: { anchor: this.at }, scrollIntoView: true });
      view.focus();
    });
    return box;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

class TextWidget extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly name: string,
  ) {
    super();
  }

  override eq(other: TextWidget): boolean {
    return this.text === other.text && this.name === other.name;
  }

  override toDOM(): HTMLElement {
    const box = document.createElement("span");
    box.className = this.name;
    box.textContent = this.text;
    return box;
  }
}

const calloutNames = (): Record<string, string> => ({
  NOTE: t("Note"),
  TIP: t("Tip"),
  IMPORTANT: t("Important"),
  WARNING: t("Warning"),
  CAUTION: t("Caution"),
});

/** The paragraph around one inline formula, without the paragraph. */
function inlineHtml(html: string): string {
  return html.trim().replace(/^<p[^>]*>([\s\S]*)<\/p>$/, "$1");
}

function decorate(view: EditorView, options: LivePreviewOptions): DecorationSet {
  const { state } = view;
  const found: Range<Decoration>[] = [];
  /** What replaces a part stays within a line: only fields of the state may replace line breaks. */
  const isOneLine = (from: number, to: number): boolean => to <= state.doc.lineAt(from).to;
  const add = (decoration: Decoration, from: number, to: number): void => {
    if (from < to && (decoration !== HIDDEN || isOneLine(from, to)))
      found.push(decoration.range(from, to));
  };
  const addLines = (from: number, to: number, name: string): void => {
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      found.push(lineClass(name).range(line.from));
      if (line.to >= to || line.number === state.doc.lines) return;
    }
  };
  /** Hide the marks that are children of a node, or dim them where the caret is. */
  const hideMarks = (node: SyntaxNodeRef, name: string): void => {
    const decoration = isTouched(view, node.from, node.to) ? DIM : HIDDEN;
    for (const mark of node.node.getChildren(name)) add(decoration, mark.from, mark.to);
  };

  const enter = (node: SyntaxNodeRef): boolean | undefined => {
    const { name, from, to } = node;
    const heading = HEADING.exec(name);
    if (heading) {
      const line = state.doc.lineAt(from);
      addLines(from, to, `ed-heading ed-heading--${heading[1]}`);
      const mark = node.node.getChild("HeaderMark");
      if (mark && name.startsWith("ATX")) {
        const end = Math.min(mark.to + 1, line.to);
        add(isTouched(view, line.from, line.to) ? DIM : HIDDEN, mark.from, end);
      }
      return undefined;
    }
    if (marks[name]) found.push(marks[name].range(from, to));
    switch (name) {
      case "Emphasis":
      case "StrongEmphasis":
        hideMarks(node, "EmphasisMark");
        break;
      case "Strikethrough":
        hideMarks(node, "StrikethroughMark");
        break;
      case "InlineCode":
        hideMarks(node, "CodeMark");
        break;
      case "Link": {
        const [open, close] = node.node.getChildren("LinkMark");
        if (!open || !close || !node.node.getChild("URL")) break;
        const isOpen = isTouched(view, from, to);
        add(isOpen ? DIM : HIDDEN, open.from, open.to);
        add(isOpen ? DIM : HIDDEN, close.from, to);
        break;
      }
      case "Image": {
        const end =
          to +
          attributesAfter(state.sliceDoc(to, Math.min(to + 60, state.doc.lineAt(to).to))).length;
        const picture = readPicture(state.sliceDoc(from, end));
        if (!picture?.address || !options.isOwnPicture(picture.address)) break;
        const widget = new PictureWidget(picture, from, end, options.editPicture);
        if (!isOneLine(from, end)) break;
        if (isTouched(view, from, end)) {
          found.push(DIM.range(from, end), Decoration.widget({ widget, side: 1 }).range(end));
        } else found.push(Decoration.replace({ widget }).range(from, end));
        return false;
      }
      case "Formula": {
        const html = options.pieces.htmlOf(state.sliceDoc(from, to));
        if (html === undefined) found.push(SOURCE.range(from, to));
        else {
          const widget = new PieceWidget(inlineHtml(html), false, from);
          if (isTouched(view, from, to) || !isOneLine(from, to)) {
            found.push(SOURCE.range(from, to));
            found.push(Decoration.widget({ widget, side: 1 }).range(to));
          } else found.push(Decoration.replace({ widget }).range(from, to));
        }
        return false;
      }
      case "Blockquote": {
        const first = state.doc.lineAt(from);
        const callout = CALLOUT.exec(first.text)?.[1]?.toUpperCase();
        addLines(
          from,
          to,
          callout ? `ed-callout ed-callout--${callout.toLowerCase()}` : "ed-quote",
        );
        if (callout && !isTouched(view, first.from, first.to)) {
          const start = first.from + first.text.indexOf("[!");
          const label = new TextWidget(calloutNames()[callout] ?? callout, "ed-callout__label");
          found.push(
            Decoration.replace({ widget: label }).range(start, start + callout.length + 3),
          );
        }
        break;
      }
      case "QuoteMark": {
        const line = state.doc.lineAt(from);
        const end = state.sliceDoc(to, to + 1) === " " ? to + 1 : to;
        add(isTouched(view, line.from, line.to) ? DIM : HIDDEN, from, end);
        break;
      }
      case "ListMark": {
        const isBullet = /^[-*+]$/.test(state.sliceDoc(from, to));
        if (isBullet && !isTouched(view, from, to))
          found.push(
            Decoration.replace({ widget: new TextWidget("•", "ed-bullet") }).range(from, to),
          );
        else add(DIM, from, to);
        break;
      }
      case "HorizontalRule":
        addLines(from, to, isTouched(view, from, to) ? "ed-rule ed-rule--open" : "ed-rule");
        break;
      case "FencedCode":
      case "CodeBlock":
        addLines(from, to, "ed-block-code");
        for (const mark of node.node.getChildren("CodeMark")) add(DIM, mark.from, mark.to);
        return false;
      case "Table":
        addLines(from, to, "ed-source");
        return false;
      case "FormulaBlock":
        addLines(from, to, "ed-source");
        return false;
      case "Escape":
        add(isTouched(view, from, to) ? DIM : HIDDEN, from, from + 1);
        break;
    }
    return undefined;
  };
  for (const { from, to } of view.visibleRanges) syntaxTree(state).iterate({ from, to, enter });
  return Decoration.set(found, true);
}

/** Tables and displayed formulas, drawn in place of their lines while the caret is elsewhere. */
function drawBlocks(state: EditorState, hasFocus: boolean, pieces: PieceRenderer): DecorationSet {
  const found: Range<Decoration>[] = [];
  syntaxTree(state).iterate({
    enter: ({ name, from, to }) => {
      if (name !== "Table" && name !== "FormulaBlock") return name === "Document";
      const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
      const isOpen =
        hasFocus &&
        state.selection.ranges.some((one) => one.from <= last.to && one.to >= first.from);
      const html = pieces.htmlOf(state.sliceDoc(from, to));
      if (html === undefined) return false;
      const widget = new PieceWidget(html, true, first.from);
      found.push(
        isOpen
          ? Decoration.widget({ widget, block: true, side: 1 }).range(last.to)
          : Decoration.replace({ widget, block: true }).range(first.from, last.to),
      );
      return false;
    },
  });
  return Decoration.set(found, true);
}

const focusChanged = StateEffect.define<boolean>();

/** The extensions that draw. */
export function livePreview(options: LivePreviewOptions): Extension {
  const inline = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = decorate(view, options);
      }
      update(update: ViewUpdate): void {
        if (
          update.docChanged ||
          update.viewportChanged ||
          update.selectionSet ||
          update.focusChanged ||
          syntaxTree(update.startState) !== syntaxTree(update.state) ||
          update.transactions.some((one) => one.effects.some((effect) => effect.is(piecesArrived)))
        )
          this.decorations = decorate(update.view, options);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
  const hasFocus = StateField.define<boolean>({
    create: () => false,
    update: (value, transaction) =>
      transaction.effects.reduce(
        (last, effect) => (effect.is(focusChanged) ? effect.value : last),
        value,
      ),
  });
  const blocks = StateField.define<DecorationSet>({
    create: (state) => drawBlocks(state, false, options.pieces),
    update: (value, transaction) =>
      transaction.docChanged ||
      transaction.selection !== undefined ||
      transaction.effects.length > 0 ||
      syntaxTree(transaction.startState) !== syntaxTree(transaction.state)
        ? drawBlocks(transaction.state, transaction.state.field(hasFocus), options.pieces)
        : value,
    provide: (field) => EditorView.decorations.from(field),
  });
  return [
    hasFocus,
    blocks,
    inline,
    EditorView.focusChangeEffect.of((_state, focusing) => focusChanged.of(focusing)),
  ];
}

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
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";

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
const BLANK = Decoration.line({ class: "ed-blank" });
/** Each line has the direction of its own text. CodeMirror reads it for the arrow keys, so CSS alone is not enough. */
const OWN_DIRECTION = Decoration.line({ attributes: { dir: "auto" } });
/** A number or bullet with the space behind it: it hangs before the text of its item. */
const LIST_MARK = Decoration.mark({ class: "ed-mark ed-item__mark" });
/** Lists within lists deeper than this are not indented further. */
const MAX_DEPTH = 6;
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

/** The picture whose Markdown begins or ends at a place. */
function pictureAt(
  state: EditorState,
  place: number,
): { from: number; to: number; picture: Picture } | null {
  let found: { from: number; to: number; picture: Picture } | null = null;
  const line = state.doc.lineAt(place);
  syntaxTree(state).iterate({
    from: line.from,
    to: line.to,
    enter: ({ name, from, to }) => {
      if (name !== "Image") return;
      const end = to + attributesAfter(state.sliceDoc(to, line.to)).length;
      const picture = readPicture(state.sliceDoc(from, end));
      if (picture && (from === place || end === place)) found = { from, to: end, picture };
    },
  });
  return found;
}

/** A picture. Its place is asked from the document when it is needed, so typing before it does not draw it again. */
class PictureWidget extends WidgetType {
  constructor(
    private readonly picture: Picture,
    /** The caption as the server renders it; "" while that is not known. */
    private readonly captionHtml: string,
    /** Whether the caret is in its source: its button can be reached by Tab then. */
    private readonly isOpen: boolean,
    private readonly edit: LivePreviewOptions["editPicture"],
  ) {
    super();
  }

  override eq(other: PictureWidget): boolean {
    return (
      this.isOpen === other.isOpen &&
      this.captionHtml === other.captionHtml &&
      JSON.stringify(this.picture) === JSON.stringify(other.picture)
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("span");
    const image = document.createElement("img");
    image.draggable = false; // a file that is dropped is another picture
    image.addEventListener("load", () => {
      box.classList.add("ed-picture--loaded");
      view.requestMeasure();
    });
    const caption = document.createElement("span");
    caption.className = "ed-picture__caption";
    const button = document.createElement("button");
    button.type = "button";
    button.addEventListener("click", (event) => {
      event.preventDefault();
      const found = pictureAt(view.state, view.posAtDOM(box));
      if (found) this.edit(view, found.from, found.to, found.picture);
    });
    box.append(image, caption, button);
    this.draw(box);
    return box;
  }

  /** The picture stays loaded while its words change. */
  override updateDOM(box: HTMLElement): boolean {
    const image = box.querySelector("img");
    if (image?.getAttribute("src") !== this.picture.address) return false;
    this.draw(box);
    return true;
  }

  private draw(box: HTMLElement): void {
    const { address, alt, caption, isDecorative, width } = this.picture;
    const [image, words, button] = box.children as unknown as [
      HTMLImageElement,
      HTMLElement,
      HTMLButtonElement,
    ];
    const isLoaded = box.classList.contains("ed-picture--loaded");
    box.className = `ed-picture${isLoaded ? " ed-picture--loaded" : ""}`;
    if (width !== null) box.classList.add(`ed-picture--${width}`);
    if (image.getAttribute("src") !== address) image.src = address;
    image.alt = alt;
    if (this.captionHtml === "") words.textContent = caption;
    else words.innerHTML = this.captionHtml; // sanitized by the server
    words.hidden = caption === "";
    const isMissing = alt === "" && !isDecorative;
    button.className = `btn btn--sm ed-picture__edit${isMissing ? " ed-picture__edit--missing" : ""}`;
    button.textContent = isMissing ? t("Add alternative text") : t("Edit picture");
    button.tabIndex = this.isOpen || isMissing ? 0 : -1;
    if (alt !== "") button.setAttribute("aria-label", t("Edit picture: {alt}", { alt }));
    else button.removeAttribute("aria-label");
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
    /** Whether it is shown beside its source. */
    private readonly isOpen: boolean,
  ) {
    super();
  }

  override eq(other: PieceWidget): boolean {
    return (
      this.html === other.html && this.isBlock === other.isBlock && this.isOpen === other.isOpen
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement(this.isBlock ? "div" : "span");
    box.className = this.isBlock
      ? `ed-piece prose${this.isOpen ? " ed-piece--open" : ""}`
      : "ed-formula";
    box.innerHTML = this.html; // sanitized by the server
    for (const focusable of box.querySelectorAll("[tabindex]"))
      focusable.removeAttribute("tabindex");
    box.addEventListener("mousedown", (event) => {
      event.preventDefault();
      if (!this.isOpen)
        view.dispatch({ selection: { anchor: view.posAtDOM(box) }, scrollIntoView: true });
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

/** In how many lists an item is. */
function depthOf({ node }: SyntaxNodeRef): number {
  let depth = 0;
  for (let one: SyntaxNode | null = node; one; one = one.parent)
    if (one.name === "ListItem") depth++;
  return depth;
}

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
  const { from: top, to: bottom } = view.viewport;
  /** Give the visible lines of a part a class; with `edges`, its first and last line classes of their own. */
  const addLines = (from: number, to: number, name: string, edges = ""): void => {
    const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
    const end = Math.min(last.from, bottom);
    for (let at = Math.max(first.from, state.doc.lineAt(Math.min(top, to)).from); at <= end;) {
      const line = state.doc.lineAt(at);
      const edge =
        edges === ""
          ? ""
          : `${line.from === first.from ? ` ${edges}--first` : ""}${line.to >= to ? ` ${edges}--last` : ""}`;
      found.push(lineClass(name + edge).range(line.from));
      at = line.to + 1;
    }
  };
  /** How deep in lists each visible line is. */
  const depths = new Map<number, number>();
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
        if (!isOneLine(from, end)) break;
        const isOpen = isTouched(view, from, end);
        const caption = picture.caption === "" ? "" : options.pieces.htmlOf(picture.caption);
        const widget = new PictureWidget(
          picture,
          inlineHtml(caption ?? ""),
          isOpen,
          options.editPicture,
        );
        if (isOpen) {
          found.push(DIM.range(from, end), Decoration.widget({ widget, side: 1 }).range(end));
        } else found.push(Decoration.replace({ widget }).range(from, end));
        return false;
      }
      case "Formula": {
        const html = options.pieces.htmlOf(state.sliceDoc(from, to));
        if (html === undefined) found.push(SOURCE.range(from, to));
        else {
          const isOpen = isTouched(view, from, to) || !isOneLine(from, to);
          const widget = new PieceWidget(inlineHtml(html), false, isOpen);
          if (isOpen) {
            found.push(SOURCE.range(from, to));
            found.push(Decoration.widget({ widget, side: 1 }).range(to));
          } else found.push(Decoration.replace({ widget }).range(from, to));
        }
        return false;
      }
      case "ListItem": {
        const depth = depthOf(node);
        for (let at = from; at <= Math.min(to, bottom);) {
          const line = state.doc.lineAt(at);
          depths.set(line.from, depth);
          const space = /^(?:\s*>)*\s*/.exec(line.text)?.[0].length ?? 0;
          const indent = /\s*$/.exec(line.text.slice(0, space))?.[0].length ?? 0;
          const [start, end] = [line.from + space - indent, line.from + space];
          if (line.from >= top && !isTouched(view, start, end - 1)) indents.set(start, end);
          at = line.to + 1;
        }
        break;
      }
      case "Blockquote": {
        const first = state.doc.lineAt(from);
        const callout = CALLOUT.exec(first.text)?.[1]?.toUpperCase();
        addLines(
          from,
          to,
          callout ? `ed-callout ed-callout--${callout.toLowerCase()}` : "ed-quote",
          callout ? "ed-callout" : "",
        );
        if (callout && !isTouched(view, first.from, first.to)) {
          const start = first.from + first.text.indexOf("[!");
          const label = new TextWidget(calloutNames()[callout] ?? callout, "callout__kind");
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
        const end = /\s/.test(state.sliceDoc(to, to + 1)) ? to + 1 : to;
        const isBullet = /^[-*+]$/.test(state.sliceDoc(from, to));
        if (isBullet && !isTouched(view, from, to)) {
          const widget = new TextWidget("", "ed-bullet");
          found.push(Decoration.replace({ widget }).range(from, end));
        } else found.push(LIST_MARK.range(from, end));
        break;
      }
      case "HorizontalRule":
        addLines(from, to, isTouched(view, from, to) ? "ed-rule ed-rule--open" : "ed-rule");
        break;
      case "FencedCode":
      case "CodeBlock":
        addLines(from, to, "ed-block-code", "ed-block-code");
        for (const mark of node.node.getChildren("CodeMark")) add(DIM, mark.from, mark.to);
        return false;
      case "Table":
      case "FormulaBlock":
        addLines(from, to, "ed-block-code ed-source", "ed-block-code");
        return false;
      case "Escape":
        add(isTouched(view, from, to) ? DIM : HIDDEN, from, from + 1);
        break;
    }
    return undefined;
  };
  const indents = new Map<number, number>();
  for (const { from, to } of view.visibleRanges) syntaxTree(state).iterate({ from, to, enter });
  for (const [start, end] of indents) add(HIDDEN, start, end);
  for (const [at, depth] of depths)
    if (at >= top)
      found.push(lineClass(`ed-item ed-item--${Math.min(depth, MAX_DEPTH)}`).range(at));
  for (let at = top; at <= bottom;) {
    const line = state.doc.lineAt(at);
    found.push((line.length === 0 ? BLANK : OWN_DIRECTION).range(at));
    at = line.to + 1;
  }
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
      const widget = new PieceWidget(html, true, isOpen);
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

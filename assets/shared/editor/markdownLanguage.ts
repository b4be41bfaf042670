/** The grammar of the content format, as the server renders it (studyplatform/kit/text/markdown.py). */
import { defineLanguageFacet, Language } from "@codemirror/language";
import {
  type BlockContext,
  type InlineContext,
  type Line,
  type MarkdownConfig,
  parser,
  Strikethrough,
  Table,
} from "@lezer/markdown";

const DOLLAR = 36;
const BACKSLASH = 92;
/** Lines of a displayed formula, as on the server: limits the search for its end. */
const MAX_FORMULA_LINES = 50;

const isSpace = (character: string): boolean => character === "" || /\s/.test(character);
const isDigit = (character: string): boolean => /\d/.test(character);

/** "$x$" and "$$x$$" within a line. "$4 and $5" and "$5/$6" are prices, as on the server. */
function parseFormula(context: InlineContext, next: number, start: number): number {
  if (next !== DOLLAR) return -1;
  const isDouble = context.char(start + 1) === DOLLAR;
  const marks = isDouble ? 2 : 1;
  const first = start + marks;
  if (!isDouble && isSpace(context.slice(first, first + 1))) return -1;
  if (!isDouble && start > context.offset && isDigit(context.slice(start - 1, start))) return -1;
  for (let at = first; at < context.end; at++) {
    const code = context.char(at);
    if (code === BACKSLASH) at++;
    else if (code === DOLLAR) {
      if (at === first) return -1;
      const last = at + marks;
      if (isDouble && context.char(at + 1) !== DOLLAR) continue;
      if (!isDouble && isSpace(context.slice(at - 1, at))) return -1;
      if (!isDouble && last < context.end && isDigit(context.slice(last, last + 1))) return -1;
      return context.addElement(
        context.elt("Formula", start, last, [
          context.elt("FormulaMark", start, first),
          context.elt("FormulaMark", at, last),
        ]),
      );
    }
  }
  return -1;
}

/** "$$" on a line of its own, up to the next "$$" at the end of a line. */
function parseFormulaBlock(context: BlockContext, line: Line): boolean {
  const text = line.text.slice(line.pos);
  if (line.next !== DOLLAR || !text.startsWith("$$") || /^\$\$.*\S.*\$\$\s*$/.test(text))
    return false;
  const from = context.lineStart + line.pos;
  for (let lines = 1; lines < MAX_FORMULA_LINES && context.nextLine(); lines++) {
    if (!line.text.trimEnd().endsWith("$$")) continue;
    const to = context.lineStart + line.text.trimEnd().length;
    context.nextLine();
    context.addElement(context.elt("FormulaBlock", from, to));
    return true;
  }
  context.addElement(context.elt("FormulaBlock", from, context.prevLineEnd()));
  return true;
}

const Formulas: MarkdownConfig = {
  defineNodes: [
    { name: "Formula" },
    { name: "FormulaMark" },
    { name: "FormulaBlock", block: true },
  ],
  parseInline: [{ name: "Formula", parse: parseFormula, after: "Escape" }],
  parseBlock: [{ name: "FormulaBlock", parse: parseFormulaBlock, before: "FencedCode" }],
};

/** What the format lacks: HTML is shown as it was typed. */
const NoHtml: MarkdownConfig = { remove: ["HTMLBlock", "HTMLTag"] };

/** Markdown with tables, strikethrough and formulas. */
export const contentLanguage = new Language(
  defineLanguageFacet(),
  parser.configure([Table, Strikethrough, Formulas, NoHtml]),
  [],
  "markdown",
);

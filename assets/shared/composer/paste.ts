/** What is pasted: files, an address over a selection, or formatted text of another program. */
import type { Surface } from "../editor/surface";

/** Markup worth keeping: structure and emphasis. The spans of a program's source code have none. */
const STRUCTURE =
  /<(?:h[1-6]|[uo]l|table|img|a\s[^>]*href|b|strong|i|em|s|del|pre|code|math|blockquote|sup|sub)\b|mso-list|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic/i;

/** Bytes of HTML that are converted; of more, only the text is pasted. */
const MAX_HTML = 1_000_000;

export type Pasted =
  | { kind: "files"; files: File[] }
  | { kind: "link"; insert: string }
  | { kind: "html"; html: string; text: string; rtf: string }
  | { kind: "text" };

/** What the clipboard holds for this selection. "text": the browser pastes by itself. */
export function readClipboard(data: DataTransfer | null, selected: string): Pasted {
  const files = [...(data?.files ?? [])];
  const text = data?.getData("text/plain") ?? "";
  const html = data?.getData("text/html") ?? "";
  // Office programs also put a picture of the copied text there.
  if (files.length > 0 && text === "") return { kind: "files", files };
  const isAddress = /^https?:\/\/\S+$/;
  if (selected !== "" && isAddress.test(text.trim()))
    return /^https?:\/\//.test(selected) || selected.includes("\n")
      ? { kind: "text" }
      : { kind: "link", insert: `[${selected}](${text.trim()})` };
  if (html.length <= MAX_HTML && STRUCTURE.test(html) && !isAddress.test(text.trim()))
    return { kind: "html", html, text, rtf: data?.getData("text/rtf") ?? "" };
  return { kind: "text" };
}

/** Pasted Markdown without its pictures: where each belongs, and how many the other program kept to itself. */
export type Unpacked = {
  markdown: string;
  places: { at: number; file: File; alt: string }[];
  missing: number;
};

/**
 * Paste the plain text immediately, and replace it by the converted one when it comes, if it is still there. So nothing
 * is lost without a connection, and typing continues meanwhile.
 * @returns what stands there now, and from where; null: the plain text stayed
 */
export async function pasteConverted(
  surface: Surface,
  text: string,
  convert: () => Promise<Unpacked>,
): Promise<(Unpacked & { from: number }) | null> {
  const { start, end } = surface.read();
  const plain = text.replace(/\r\n?/g, "\n");
  const last = start + plain.length;
  surface.apply({ from: start, to: end, insert: plain, start: last, end: last });
  const unpacked = await convert();
  const { markdown } = unpacked;
  const now = surface.read().text;
  const from = now.startsWith(plain, start) ? start : now.indexOf(plain);
  if (from < 0 || (markdown.trim() === "" && unpacked.places.length === 0)) return null;
  const [gap, tail] = gapsAround(markdown, now.slice(0, from), now.slice(from + plain.length));
  surface.replace(from, from + plain.length, gap + markdown + tail);
  return { ...unpacked, from: from + gap.length };
}

/** The beginning of a block that needs a line of its own: heading, list, quotation, table, code, formula. */
const BLOCK = /^(?:#{1,6} |[-*+] |\d{1,9}[.)] |>|\||```|\$\$)/;

/** What separates pasted blocks from the words around them; a paragraph joins the line. */
function gapsAround(markdown: string, before: string, after: string): [string, string] {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const [rest = ""] = after.split("\n", 1);
  const lines = markdown.split("\n");
  const last = lines.slice(lines.lastIndexOf("") + 1)[0] ?? "";
  const gap = line.trim() !== "" && BLOCK.test(markdown) ? "\n\n" : "";
  const tail = rest.trim() !== "" && BLOCK.test(last) ? "\n\n" : "";
  return [gap, tail];
}

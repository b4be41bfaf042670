/** What is pasted: files, an address over a selection, or formatted text of another program. */
import type { Surface } from "../editor/surface";
import type { Converted } from "./stores";

/** Markup worth keeping: structure and emphasis. The spans of a program's source code have none. */
const STRUCTURE =
  /<(?:h[1-6]|[uo]l|table|img|a\s[^>]*href|b|strong|i|em|s|del|pre|code|math|blockquote|sup|sub)\b|mso-list|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic/i;

/** Bytes of HTML that are converted; of more, only the text is pasted. */
const MAX_HTML = 1_000_000;

export type Pasted =
  | { kind: "files"; files: File[] }
  | { kind: "link"; insert: string }
  | { kind: "html"; html: string; text: string }
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
    return { kind: "html", html, text };
  return { kind: "text" };
}

/** Where pictures that the HTML contains itself stand in the Markdown, until they are uploaded. */
const PASTED = "/pasted-picture/";

const DATA_PICTURE = /^data:(image\/(?:png|jpeg|gif|webp));base64,([\s\S]+)$/i;

/** Take the pictures out of the HTML (data: addresses), so that they are uploaded as files. */
export function takePictures(html: string): { html: string; pictures: Map<string, File> } {
  const page = new DOMParser().parseFromString(html, "text/html"); // runs no scripts, loads nothing
  const pictures = new Map<string, File>();
  for (const image of page.querySelectorAll("img[src^='data:image/']")) {
    const [, type, base64] = DATA_PICTURE.exec(image.getAttribute("src") ?? "") ?? [];
    if (type === undefined || base64 === undefined) continue;
    const number = pictures.size + 1;
    const address = `${PASTED}${number}`;
    const file = decode(type.toLowerCase(), base64, number);
    if (!file) continue;
    image.setAttribute("src", address);
    pictures.set(address, file);
  }
  return { html: pictures.size > 0 ? page.documentElement.outerHTML : html, pictures };
}

function decode(type: string, base64: string, number: number): File | null {
  try {
    const bytes = Uint8Array.from(atob(base64.replace(/\s+/g, "")), (one) => one.charCodeAt(0));
    return new File([bytes], `picture-${number}.${type.slice("image/".length)}`, { type });
  } catch {
    return null; // cut off by the program that wrote it
  }
}

/** Pasted Markdown without its pictures: where each belongs, and how many the other program kept to itself. */
export type Unpacked = {
  markdown: string;
  places: { at: number; file: File; alt: string }[];
  missing: number;
};

/** Take the pictures out of converted text. What cannot be uploaded becomes a link, or only its words. */
export function unpackPictures(
  { markdown, pictures }: Converted,
  files: ReadonlyMap<string, File>,
): Unpacked {
  const places: Unpacked["places"] = [];
  let missing = 0;
  let text = markdown;
  for (const { address, alt, source } of pictures) {
    const end = `](${address})`;
    const close = text.indexOf(end);
    const open = close < 0 ? -1 : text.lastIndexOf("![", close);
    if (open < 0) continue;
    const file = files.get(source);
    if (!file) missing++;
    const link = /^https?:/.test(source) ? `[${alt || source}](${source})` : alt;
    text = text.slice(0, open) + (file ? "" : link) + text.slice(close + end.length);
    if (file) places.push({ at: open, file, alt });
  }
  return { markdown: text, places, missing };
}

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
  surface.replace(from, from + plain.length, markdown);
  return { ...unpacked, from };
}

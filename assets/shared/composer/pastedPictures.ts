/** The pictures within formatted text that is pasted; fetched with the first such text. */
import type { Unpacked } from "./paste";
import type { Converted } from "./stores";

/** Where pictures that the HTML contains itself stand in the Markdown, until they are uploaded. */
const PASTED = "/pasted-picture/";

const DATA_PICTURE = /^data:(image\/(?:png|jpeg|gif|webp));base64,([\s\S]+)$/i;

/**
 * Take the pictures out of the HTML, so that they are uploaded as files: those in data: addresses, and those of Word,
 * whose addresses lead to its own disk while their bytes are in the RTF of the same clipboard.
 */
export function takePictures(
  html: string,
  rtf = "",
): { html: string; pictures: Map<string, File> } {
  const page = new DOMParser().parseFromString(html, "text/html"); // runs no scripts, loads nothing
  const pictures = new Map<string, File>();
  const take = (image: Element, file: (number: number) => File | null): void => {
    const number = pictures.size + 1;
    const taken = file(number);
    if (!taken) return;
    image.setAttribute("src", `${PASTED}${number}`);
    pictures.set(`${PASTED}${number}`, taken);
  };
  for (const image of page.querySelectorAll("img[src^='data:image/']")) {
    const [, type, base64] = DATA_PICTURE.exec(image.getAttribute("src") ?? "") ?? [];
    if (type === undefined || base64 === undefined) continue;
    take(image, (number) => decode(type.toLowerCase(), base64, number));
  }
  const onDisk = [...page.querySelectorAll("img[src^='file:']")];
  const inRtf = rtf === "" ? [] : picturesOfRtf(rtf);
  // Word writes both in the same order; where they differ, which is which cannot be told.
  if (onDisk.length === inRtf.length)
    for (const [at, image] of onDisk.entries()) {
      const { type, bytes } = inRtf[at] ?? {};
      if (type && bytes)
        take(
          image,
          (number) => new File([bytes], `picture-${number}.${type}`, { type: `image/${type}` }),
        );
    }
  return { html: pictures.size > 0 ? page.documentElement.outerHTML : html, pictures };
}

type RtfPicture = { type: "png" | "jpeg"; bytes: Uint8Array<ArrayBuffer> };

/** The pictures of an RTF text, in order: groups such as {\pict\pngblip 89504e47…} (RTF 1.9.1, "Pictures"). */
export function picturesOfRtf(rtf: string): RtfPicture[] {
  const found: RtfPicture[] = [];
  for (let at = rtf.indexOf("\\pict"); at >= 0; at = rtf.indexOf("\\pict", at + 1)) {
    if (/[a-z]/i.test(rtf[at + 5] ?? "")) continue; // \picture, \pictext
    const { own, end } = readGroup(rtf, at);
    const type = own.includes("\\pngblip") ? "png" : own.includes("\\jpegblip") ? "jpeg" : null;
    const hex = hexAtEnd(own);
    if (type && hex.length > 0 && hex.length % 2 === 0)
      found.push({
        type,
        bytes: Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16)),
      });
    at = end;
  }
  return found;
}

/** The hexadecimal digits at the end of a text, without those of the control word before them. */
function hexAtEnd(text: string): string {
  let from = text.length;
  while (from > 0 && /[\da-f\s]/i.test(text[from - 1] ?? "")) from--;
  const run = text.slice(from);
  const first = from === 0 ? 0 : run.search(/\s/);
  return first < 0 ? "" : run.slice(first).replace(/\s+/g, "");
}

/** The text from a place up to the end of its group, without the groups within. */
function readGroup(rtf: string, from: number): { own: string; end: number } {
  let depth = 0;
  let own = "";
  let start = from;
  const braces = /[{}]/g;
  braces.lastIndex = from;
  for (let brace = braces.exec(rtf); brace; brace = braces.exec(rtf)) {
    if (depth === 0) own += rtf.slice(start, brace.index);
    depth += brace[0] === "{" ? 1 : -1;
    if (depth < 0) return { own, end: brace.index };
    start = brace.index + 1;
  }
  return { own, end: rtf.length };
}

function decode(type: string, base64: string, number: number): File | null {
  try {
    const bytes = Uint8Array.from(atob(base64.replace(/\s+/g, "")), (one) => one.charCodeAt(0));
    return new File([bytes], `picture-${number}.${type.slice("image/".length)}`, { type });
  } catch {
    return null; // cut off by the program that wrote it
  }
}

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

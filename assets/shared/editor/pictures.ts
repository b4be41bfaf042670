/** The Markdown of a picture: `![Alternative text](/address "Caption"){decorative width=50%}`. */
export type Picture = {
  address: string;
  alt: string;
  caption: string;
  isDecorative: boolean;
  /** Percent of the column; null: its own width. */
  width: number | null;
};

export const PICTURE_WIDTHS = [25, 50, 75, 100];

const WHOLE =
  /^!\[((?:\\.|[^\]\\])*)\]\(\s*<?([^\s<>()]*)>?(?:\s+"((?:\\.|[^"\\])*)")?\s*\)(?:\{([^}\n]*)\})?$/;

const unescape = (text: string): string => text.replace(/\\([\\[\]"])/g, "$1");

/** Read the Markdown of one picture; null if it is something else. */
export function readPicture(source: string): Picture | null {
  const found = WHOLE.exec(source);
  if (!found) return null;
  const [, alt = "", address = "", caption = "", attributes = ""] = found;
  const width = /(?:^|\s)width=(\d{1,3})%/.exec(attributes)?.[1];
  return {
    address,
    alt: unescape(alt),
    caption: unescape(caption),
    isDecorative: /(?:^|\s)decorative(?:\s|$)/.test(attributes),
    width: width === undefined ? null : Number(width),
  };
}

/** Write the Markdown of one picture. */
export function writePicture({ address, alt, caption, isDecorative, width }: Picture): string {
  const words = isDecorative
    ? ""
    : alt
        .replace(/\s+/g, " ")
        .trim()
        .replace(/[\\[\]]/g, "\\$&");
  const title = caption.replace(/\s+/g, " ").trim().replace(/[\\"]/g, "\\$&");
  const attributes = [isDecorative && "decorative", width !== null && `width=${width}%`]
    .filter(Boolean)
    .join(" ");
  return `![${words}](${address}${title && ` "${title}"`})${attributes && `{${attributes}}`}`;
}

/** The braces with attributes that directly follow a picture; "" without any. */
export function attributesAfter(text: string): string {
  return /^\{[^}\n]*\}/.exec(text)?.[0] ?? "";
}

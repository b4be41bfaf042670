const BLOCK = /^\s*<(?:p|ul|ol|h\d|table|div|figure|pre|blockquote)\b/;

/** Course text that the server rendered from Markdown and sanitized: a phrase, or paragraphs, lists, tables, figures. */
export function Html({ html }: { html: string }) {
  const Tag = hasBlocks(html) ? "div" : "span";
  return (
    <Tag
      className={Tag === "div" ? "prose" : undefined}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

type AskProps = { html: string; id: string; level: "h2" | "h3"; className?: string };

/** What a question asks: a heading, or a text of its own if it has lists, tables or figures. */
export function Ask({ html, id, level: Heading, className = "question__ask" }: AskProps) {
  return hasBlocks(html) ? (
    <div className="prose question__text" id={id} dangerouslySetInnerHTML={{ __html: html }} />
  ) : (
    <Heading className={className} id={id}>
      <Html html={html} />
    </Heading>
  );
}

/** Whether the HTML of a text is more than a phrase. */
export function hasBlocks(html: string): boolean {
  return BLOCK.test(html);
}

/** The same as plain text, for options of a select and accessible names; of pictures the alternative text. */
export function plain(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const image of body.querySelectorAll("img")) image.replaceWith(image.alt);
  for (const formula of body.querySelectorAll("math"))
    formula.replaceWith(mathAsText(formula).normalize("NFKC").replaceAll(/\s+/gu, " ").trim());
  return body.textContent;
}

/** The accessible name of the control beside a text with a formula: not every browser reads MathML into a name. */
export function nameOf(html: string): string | undefined {
  return html.includes("<math") ? plain(html) : undefined;
}

/** The text of an element of MathML: "1/2", not "12". The server's `mathml_as_text` does the same. */
function mathAsText(element: Element): string {
  if (element.localName === "mspace") return " ";
  if (element.children.length === 0) return element.textContent;
  const parts = [...element.children].map(mathAsText);
  const [first = "", second = "", third = ""] = parts;
  const isOneWord = (text: string): boolean => /^(?:.|[\p{L}\p{N}]+)$/u.test(text);
  const group = (text: string): string => (isOneWord(text) ? text : `(${text})`);
  switch (element.localName) {
    case "mfrac":
      return `${group(first)}/${group(second)}`;
    case "msup":
      return `${first}^${second}`;
    case "msub":
      return `${first}_${second}`;
    case "msubsup":
      return `${first}_${second}^${third}`;
    case "msqrt":
      return `√${group(parts.join(""))}`;
    case "mtr":
      return parts.join(", ");
    case "mtable":
      return parts.join("; ");
    default:
      return parts.join("");
  }
}

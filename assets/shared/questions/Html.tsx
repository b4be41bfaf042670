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
  return body.textContent;
}

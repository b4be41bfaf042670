/** A text of the course that the server rendered from Markdown and sanitized. */
export function Html({ html }: { html: string }) {
  return <span dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The same as plain words, for places that take no markup (an option of a select, a spoken name). */
export function plain(html: string): string {
  return new DOMParser().parseFromString(html, "text/html").body.textContent;
}

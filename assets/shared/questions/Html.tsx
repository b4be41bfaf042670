/** Course text that the server rendered from Markdown and sanitized. */
export function Html({ html }: { html: string }) {
  return <span dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The same as plain text, for options of a select and accessible names. */
export function plain(html: string): string {
  return new DOMParser().parseFromString(html, "text/html").body.textContent;
}

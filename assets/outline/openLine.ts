/** Opens a text at a line: /…/lectures/lesson?line=12#id_body, as the findings of a course lead there. */
export function openLine(
  root: Document,
  { search, hash }: Pick<Location, "search" | "hash">,
): void {
  const line = Number(new URLSearchParams(search).get("line"));
  const field = hash.length > 1 ? root.getElementById(hash.slice(1)) : null;
  if (!(line >= 1) || !(field instanceof HTMLTextAreaElement)) return;
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  if (line > lines.length) return;
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  // The field shows its beginning until something is typed: as many lines as stand above.
  field.scrollTop = (field.scrollHeight / lines.length) * Math.max(0, line - 3);
}

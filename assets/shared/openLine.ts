type Address = Pick<Location, "search" | "hash">;

/** Whether the address leads to a line of this text: /…/lectures/lesson?line=12#id_body, as findings do. */
export const isLineOf = (id: string, { search, hash }: Address): boolean =>
  hash === `#${id}` && Number(new URLSearchParams(search).get("line")) >= 1;

/** Focus a text and select the line that the address leads to. Once: afterwards the caret is the user's. */
export function openLine(field: HTMLTextAreaElement, address: Address = location): void {
  if (!isLineOf(field.id, address) || "lineOpened" in field.dataset) return;
  const line = Number(new URLSearchParams(address.search).get("line"));
  const lines = field.value.split("\n");
  if (line > lines.length) return;
  field.dataset.lineOpened = "";
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  // The field shows its beginning until something is typed: as many lines as stand above.
  field.scrollTop = (field.scrollHeight / lines.length) * Math.max(0, line - 3);
}

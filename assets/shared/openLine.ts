type Address = Pick<Location, "search" | "hash">;

/** Sent to a textarea once a line of it is selected: the live editor over it follows. */
export const LINE_SELECTED = "line-selected";

/** The line, counted from 1, that an address leads to: /…/lectures/lesson?line=12#id_body, as findings do; 0 for none. */
export function lineOf(search: string): number {
  const line = Number(new URLSearchParams(search).get("line"));
  return Number.isInteger(line) && line >= 1 ? line : 0;
}

/** Whether the address leads to a line of this text. */
export const isLineOf = (id: string, { search, hash }: Address): boolean =>
  hash === `#${id}` && lineOf(search) > 0;

/** Focus a text and select the line that the address leads to. Once: afterwards the caret is the user's. */
export function openLine(field: HTMLTextAreaElement, address: Address = location): void {
  if (!isLineOf(field.id, address) || "lineOpened" in field.dataset) return;
  selectLine(field, lineOf(address.search));
}

/** Focus a text and select one of its lines, counted from 1. A text that has become shorter is left alone. */
export function selectLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split("\n");
  if (line < 1 || line > lines.length) return;
  field.dataset.lineOpened = "";
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  // The field shows its beginning until something is typed: as many lines as stand above.
  field.scrollTop = (field.scrollHeight / lines.length) * Math.max(0, line - 3);
  field.dispatchEvent(new Event(LINE_SELECTED));
}

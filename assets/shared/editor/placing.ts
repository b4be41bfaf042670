/** Where a picture comes to stand: alone in its paragraph it is a figure, within a line it stays in the line. */

const LINE_MARKS = /^\s*(?:>|[-*+]\s|\d{1,9}[.)]\s|\|)/;

/**
 * What to insert at a place so that a picture is a paragraph of its own, if the place is an empty line or the end of an
 * ordinary one; otherwise the picture with a space before it.
 */
export function placePicture(text: string, at: number, picture: string): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const line = text.slice(start, next < 0 ? text.length : next);
  const [before, after] = [text.slice(start, at), line.slice(at - start)];
  const isWithin = after.trim() !== "" || LINE_MARKS.test(line);
  if (isWithin) return (before === "" || /\s$/.test(before) ? "" : " ") + picture;
  const above = text.slice(0, start + before.trimEnd().length);
  const below = text.slice(at + after.length);
  const gap =
    above === "" ? "" : /\n[ \t]*\n$/.test(above) ? "" : above.endsWith("\n") ? "\n" : "\n\n";
  const tail = /^\n[ \t]*(?:\n|$)/.test(below) ? "" : below === "" ? "\n\n" : "\n";
  return gap + picture + tail;
}

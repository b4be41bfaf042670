/** How long a text is: as the server counts it (apps/forum/text/length.py). */

/** The text with LF at the end of each line, as it is counted and stored. */
export function normalize(source: string): string {
  return source.replace(/\r\n?/g, "\n");
}

/** Unicode code points, where a line break is one. */
export function lengthOf(source: string): number {
  let count = 0;
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- a string is iterated by code points
  for (const _ of normalize(source)) count += 1;
  return count;
}

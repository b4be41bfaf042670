/** The byte range that a request asks for (RFC 9110). */

/** Bytes from `start` to `end`, both included. */
export type Range = { start: number; end: number };

/**
 * The range of a header; null if all bytes are to be sent, as for several ranges and what can't be read; "none" if
 * none of the resource's bytes are in it.
 */
export function readRange(header: string | null, size: number): Range | "none" | null {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!found) return null;
  const [, first = "", last = ""] = found;
  if (first === "" && last === "") return null;
  if (first === "") {
    const count = Math.min(Number(last), size);
    return count === 0 ? "none" : { start: size - count, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "none" : { start, end };
}

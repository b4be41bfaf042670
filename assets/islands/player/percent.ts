/** A part of a whole as a CSS percentage, at most all of it. */
export function percent(part: number, whole: number): string {
  return whole > 0 ? `${(Math.min(part, whole) / whole) * 100}%` : "0%";
}

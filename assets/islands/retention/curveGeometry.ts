/** The curve as paths in a box of 100 by 100, and which second a place of it is. */

export type Band = [low: number, high: number][];

const round = (value: number): number => Math.round(value * 100) / 100;

const lineOf = (points: readonly [x: number, y: number][]): string =>
  points.map(([x, y]) => `${round(x)} ${round(100 - y)}`).join("L");

/** Points that are drawn: more than a wide screen has pixels for add nothing. */
const MOST_POINTS = 900;

/** The line of the percents, from edge to edge. Of a long video, the mean of the seconds that share a point. */
export function curvePath(percents: readonly number[]): string {
  const each = Math.max(1, Math.ceil(percents.length / MOST_POINTS));
  const points: [number, number][] = [];
  for (let start = 0; start < percents.length; start += each) {
    const part = percents.slice(start, start + each);
    const mean = part.reduce((sum, one) => sum + one, 0) / part.length;
    points.push([leftOf(start + (part.length - 1) / 2, percents.length), mean]);
  }
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return "";
  return `M${lineOf([[0, first[1]], ...points, [100, last[1]]])}`;
}

/** What is usual, as an area. */
export function bandPath(band: Band): string {
  const last = Math.max(1, band.length - 1);
  const high = band.map(([, top], at): [number, number] => [(100 * at) / last, top]);
  const low = band.map(([bottom], at): [number, number] => [(100 * at) / last, bottom]).reverse();
  return `M${lineOf([...high, ...low])}z`;
}

/** Where a second lies, in percent of the width. */
export const leftOf = (second: number, count: number): number =>
  Math.min(100, Math.max(0, (100 * second) / Math.max(1, count - 1)));

/** Which second is at a place, from 0 to 1. */
export const secondAt = (place: number, count: number): number =>
  Math.round(Math.min(1, Math.max(0, place)) * Math.max(0, count - 1));

/** What is usual at a second. */
export function usualAt(band: Band, second: number, count: number): [low: number, high: number] {
  const at = Math.round((second / Math.max(1, count - 1)) * (band.length - 1));
  return band[Math.min(band.length - 1, Math.max(0, at))] ?? [0, 100];
}

const STEP = 5; // seconds
const LARGE_STEP = 30; // seconds

/** The second that a key leads to; null for another key. */
export function secondOfKey(key: string, second: number, count: number): number | null {
  const steps: Record<string, number> = {
    ArrowRight: STEP,
    ArrowUp: STEP,
    ArrowLeft: -STEP,
    ArrowDown: -STEP,
    PageUp: LARGE_STEP,
    PageDown: -LARGE_STEP,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? null : Math.min(count - 1, Math.max(0, Math.round(second) + step));
}

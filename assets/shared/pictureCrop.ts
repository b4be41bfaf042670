/** The crop of 16:9 of a course's picture. */

export const RATIO = 16 / 9;
const MIN_WIDTH = 320; // pixels of the smallest crop (apps/courses/models/picture.py)

/** The largest zoom in percent at which the crop has enough pixels. */
export function maxZoom(width: number, height: number, most: number): number {
  return Math.max(
    100,
    Math.min(most, Math.floor((100 * Math.min(width, height * RATIO)) / MIN_WIDTH)),
  );
}

/** How far the picture reaches beyond the frame at a zoom, in widths and heights of the frame. */
export function overflowOf(width: number, height: number, zoom: number): { x: number; y: number } {
  const ratio = width / height;
  return { x: Math.max(ratio / RATIO, 1) * zoom - 1, y: Math.max(RATIO / ratio, 1) * zoom - 1 };
}

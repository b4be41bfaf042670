/** The qualities in which lessons are stored. */
import type { Quality, StorableLesson } from "./types";

/** The best first. */
export const qualities: readonly Quality[] = ["1080p", "720p", "480p", "audio"];

type Size = StorableLesson["sizes"][number];

/**
 * The size of a lesson at a quality, or at the next lower one that it has, or at its lowest. Lessons that are no video
 * have one size without a quality. Null if the lesson can't be stored.
 */
export function chooseSize(
  { sizes }: Pick<StorableLesson, "sizes">,
  quality: Quality,
): Size | null {
  const wanted = qualities.indexOf(quality);
  const isAtMost = (one: Size): boolean =>
    one.quality === "" || qualities.indexOf(one.quality) >= wanted;
  return sizes.find(isAtMost) ?? sizes.at(-1) ?? null;
}

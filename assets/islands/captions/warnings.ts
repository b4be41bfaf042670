/** What makes a cue hard to read. */
import type { Cue, Cues } from "./cues";

/** Characters a second above which most people can't follow. Full-width characters count twice. */
export const MAX_SPEED = 20;
/** Characters in a line, and lines, that fit on every screen. */
export const MAX_LINE = 42;
export const MAX_LINES = 2;
/** Seconds that a cue needs to be noticed. */
const MIN_SECONDS = 0.5;

export type Warning =
  | { kind: "fast"; speed: number; missing: number }
  | { kind: "long-line"; line: string }
  | { kind: "many-lines"; count: number }
  | { kind: "overlap" }
  | { kind: "short" }
  | { kind: "late" }
  | { kind: "empty" };

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
const TAGS = /<[^<>]*>/g;

/** The width of a text in characters, without its tags. */
export function widthOf(text: string): number {
  const plain = text.replace(TAGS, "");
  let width = 0;
  for (const character of plain) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** Characters a second, rounded. */
export function speedOf({ begin, end, text }: Pick<Cue, "begin" | "end" | "text">): number {
  return Math.round(widthOf(text.replace(/\n/g, " ")) / Math.max(0.001, end - begin));
}

/** The long lines of a text; they wrap by themselves, so only words that stand alone in three lines are too many. */
function longLine(text: string): string | undefined {
  return text.split("\n").find((line) => widthOf(line) > MAX_LINE * MAX_LINES);
}

const known = new WeakMap<Cue, { next: number; duration: number; found: readonly Warning[] }>();

/** The warnings of a cue. `next`: the second at which the next one begins. */
export function warningsOf(cue: Cue, next: number, duration: number): readonly Warning[] {
  const before = known.get(cue);
  if (before?.next === next && before.duration === duration) return before.found;
  const found: Warning[] = [];
  const { begin, end, text } = cue;
  if (text.trim() === "") found.push({ kind: "empty" });
  else {
    const width = widthOf(text.replace(/\n/g, " "));
    const missing = width / MAX_SPEED - (end - begin);
    if (missing > 0.05) found.push({ kind: "fast", speed: speedOf(cue), missing });
    else if (end - begin < MIN_SECONDS) found.push({ kind: "short" });
    const line = longLine(text);
    if (line !== undefined) found.push({ kind: "long-line", line });
    const lines = text.trim().split("\n").length;
    if (lines > MAX_LINES) found.push({ kind: "many-lines", count: lines });
  }
  if (end > next + 0.001) found.push({ kind: "overlap" });
  if (duration > 0 && begin >= duration) found.push({ kind: "late" });
  known.set(cue, { next, duration, found });
  return found;
}

/** The warnings of all shown cues that have one, by id. */
export function allWarnings(
  shown: Cues,
  duration: number,
): ReadonlyMap<string, readonly Warning[]> {
  const all = new Map<string, readonly Warning[]>();
  shown.forEach((cue, at) => {
    const found = warningsOf(cue, shown[at + 1]?.begin ?? Infinity, duration);
    if (found.length > 0) all.set(cue.id, found);
  });
  return all;
}

/**
 * The times at which a cue can be read: it ends later, and begins earlier if that isn't enough, as far as there is room.
 * @returns null if there is none
 */
export function roomFor(
  shown: Cues,
  id: string,
  duration: number,
): { begin: number; end: number; added: number } | null {
  const at = shown.findIndex((one) => one.id === id);
  const cue = shown[at];
  if (!cue) return null;
  const needed = widthOf(cue.text.replace(/\n/g, " ")) / MAX_SPEED;
  const latest = Math.min(shown[at + 1]?.begin ?? Infinity, duration > 0 ? duration : Infinity);
  const end = Math.max(cue.end, Math.min(cue.begin + needed, latest));
  const earliest = at > 0 ? (shown[at - 1]?.end ?? 0) : 0;
  const begin = Math.min(cue.begin, Math.max(end - needed, earliest, 0));
  const added = end - begin - (cue.end - cue.begin);
  const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;
  return added < 0.05 ? null : { begin: rounded(begin), end: rounded(end), added };
}

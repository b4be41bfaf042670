/** Cues while they are edited, and what authors do to them. Pure: lists are never changed, new ones are made. */
import { newUid } from "../../shared/newUid";

export type Cue = {
  id: string;
  /** Seconds, like `end`. */
  begin: number;
  end: number;
  /** As authors type it: tags of WebVTT, everything else as it reads. */
  text: string;
  settings: string;
  chapter: string;
  is_checked: boolean;
  state: "shown" | "aside" | "removed";
};
export type Cues = readonly Cue[];

/** Seconds of the shortest cue that an operation makes. */
export const MIN_LENGTH = 0.2;
/** Seconds of a cue that is added where there is room. */
const NEW_LENGTH = 2;

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

export function newCue(begin: number, end: number, text = ""): Cue {
  const times = { begin: round(Math.max(0, begin)), end: round(Math.max(0, end)) };
  return {
    id: newUid(),
    ...times,
    text,
    settings: "",
    chapter: "",
    is_checked: true,
    state: "shown",
  };
}

/** In the order in which they are shown. */
export const sorted = (cues: Cues): Cues =>
  cues.every((cue, at) => at === 0 || (cues[at - 1]?.begin ?? 0) <= cue.begin)
    ? cues
    : [...cues].sort((one, other) => one.begin - other.begin || one.end - other.end);

export const shownOf = (cues: Cues): Cues => cues.filter(({ state }) => state === "shown");

/** Change some fields of a cue. A person who changes it has checked it. */
export function change(cues: Cues, id: string, part: Partial<Cue>): Cues {
  const next = cues.map((cue) => (cue.id === id ? { ...cue, is_checked: true, ...part } : cue));
  return part.begin === undefined ? next : sorted(next);
}

/** Set begin or end of a cue; the other one moves along if the cue would end before it begins. */
export function setTime(cues: Cues, id: string, edge: "begin" | "end", seconds: number): Cues {
  const cue = cues.find((one) => one.id === id);
  if (!cue) return cues;
  const at = round(Math.max(0, seconds));
  if (edge === "begin") {
    const end = cue.end > at ? cue.end : round(at + Math.max(MIN_LENGTH, cue.end - cue.begin));
    return change(cues, id, { begin: at, end });
  }
  const begin = cue.begin < at ? cue.begin : Math.max(0, round(at - MIN_LENGTH));
  return change(cues, id, { begin, end: Math.max(at, round(begin + MIN_LENGTH)) });
}

/**
 * Split a cue where the caret stands in its text. The time is `at` if it lies inside the cue, else it is divided as the
 * text is.
 */
export function split(cues: Cues, id: string, caret: number, at?: number): Cues {
  const cue = cues.find((one) => one.id === id);
  if (!cue || cue.end - cue.begin < 2 * MIN_LENGTH) return cues;
  const first = cue.text.slice(0, caret).trim();
  const second = cue.text.slice(caret).trim();
  const share = cue.text.length === 0 ? 0.5 : caret / cue.text.length;
  const byText = cue.begin + (cue.end - cue.begin) * share;
  const isInside = at !== undefined && at > cue.begin && at < cue.end;
  const middle = round(
    Math.min(Math.max(isInside ? at : byText, cue.begin + MIN_LENGTH), cue.end - MIN_LENGTH),
  );
  const rest = { ...cue, ...newCue(middle, cue.end, second), settings: cue.settings };
  return cues.flatMap((one) =>
    one.id === id ? [{ ...cue, end: middle, text: first, is_checked: true }, rest] : [one],
  );
}

/** Add the text and the time of the following shown cue to this one. */
export function mergeWithNext(cues: Cues, id: string): Cues {
  const shown = shownOf(cues);
  const at = shown.findIndex((one) => one.id === id);
  const [cue, next] = [shown[at], shown[at + 1]];
  if (!cue || !next) return cues;
  const text = [cue.text, next.text].filter((each) => each.trim() !== "").join("\n");
  return change(
    cues.filter((one) => one.id !== next.id),
    id,
    { end: Math.max(cue.end, next.end), text },
  );
}

/** Add a cue after another one, or at a second. @returns the list and the new cue */
export function add(cues: Cues, after: string | null, at: number): { cues: Cues; cue: Cue } {
  const shown = shownOf(cues);
  const index = shown.findIndex((one) => one.id === after);
  const begin = index === -1 ? at : (shown[index]?.end ?? at);
  const next = shown.find((one) => one.begin >= begin && one.id !== after);
  const room = next ? next.begin - begin : Infinity;
  const cue = newCue(begin, begin + Math.max(MIN_LENGTH, Math.min(NEW_LENGTH, room)));
  return { cues: sorted([...cues, cue]), cue };
}

export const remove = (cues: Cues, id: string): Cues => cues.filter((cue) => cue.id !== id);

/** Keep these cues without publishing them, or publish them again. */
export const setAside = (cues: Cues, ids: ReadonlySet<string>, isAside = true): Cues =>
  cues.map((cue) => (ids.has(cue.id) ? { ...cue, state: isAside ? "aside" : "shown" } : cue));

/**
 * Move cues in time, from one onwards or all. What falls before 0 or after the end of the video is set aside.
 * @param duration of the video in seconds; 0 if it is not known
 */
export function shift(cues: Cues, seconds: number, from: string | null, duration: number): Cues {
  const first = from === null ? 0 : cues.findIndex(({ id }) => id === from);
  if (first === -1) return cues;
  const moved = cues.map((cue, at): Cue => {
    if (at < first || cue.state !== "shown") return cue;
    const [begin, end] = [round(cue.begin + seconds), round(cue.end + seconds)];
    if (end <= 0 || (duration > 0 && begin >= duration)) return { ...cue, state: "aside" };
    return { ...cue, begin: Math.max(0, begin), end };
  });
  return sorted(moved);
}

/** How often a text occurs. */
export function countOf(cues: Cues, find: string, isExact: boolean): number {
  if (find === "") return 0;
  const pattern = patternOf(find, isExact);
  return shownOf(cues).reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

export function replaceAll(cues: Cues, find: string, replacement: string, isExact: boolean): Cues {
  if (find === "") return cues;
  const pattern = patternOf(find, isExact);
  return cues.map((cue) => {
    if (cue.state !== "shown") return cue;
    const text = cue.text.replace(pattern, () => replacement);
    return text === cue.text ? cue : { ...cue, text, is_checked: true };
  });
}

/** The first cue after another one in which a text occurs; from the beginning once the end is reached. */
export function findNext(
  cues: Cues,
  find: string,
  after: string | null,
  isExact: boolean,
): Cue | undefined {
  if (find === "") return undefined;
  const shown = shownOf(cues);
  const start = shown.findIndex(({ id }) => id === after) + 1;
  const pattern = patternOf(find, isExact);
  return [...shown.slice(start), ...shown.slice(0, start)].find(
    ({ text }) => text.search(pattern) !== -1,
  );
}

function patternOf(find: string, isExact: boolean): RegExp {
  return new RegExp(find.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), isExact ? "gu" : "giu");
}

/** The shown cue at a second. */
export const cueAt = (shown: Cues, second: number): Cue | undefined =>
  shown.findLast(({ begin, end }) => begin <= second && second < end);

/** Seconds by which cues may differ and still be translations of each other. */
const SAME_BEGIN = 0.3;

/** Which cue of a second language belongs to each cue of the first: the one that begins with it, else most within it. */
export function pairs(first: Cues, second: Cues): ReadonlyMap<string, Cue> {
  const found = new Map<string, Cue>();
  let from = 0;
  for (const cue of first) {
    while (from < second.length && (second[from]?.end ?? 0) <= cue.begin - SAME_BEGIN) from += 1;
    let best: Cue | undefined;
    let most = 0;
    for (let at = from; at < second.length; at += 1) {
      const other = second[at];
      if (!other || other.begin >= cue.end) break;
      const common = Math.min(cue.end, other.end) - Math.max(cue.begin, other.begin);
      const isSame = Math.abs(other.begin - cue.begin) <= SAME_BEGIN;
      const weight = isSame ? Infinity : common > (other.end - other.begin) / 2 ? common : 0;
      if (weight > most) [best, most] = [other, weight];
    }
    if (best) found.set(cue.id, best);
  }
  return found;
}

/** The shown cues of a first language that have no text in the second. */
export function untranslated(first: Cues, second: Cues): Cues {
  const found = pairs(shownOf(first), shownOf(second));
  return shownOf(first).filter((cue) => cue.text.trim() !== "" && !found.get(cue.id)?.text.trim());
}

/**
 * Add automatic translations to a second language, unchecked. Those are left out whose original has changed since, or
 * was translated by somebody meanwhile.
 * @param texts translations of the originals, in the same order; null where there is none
 */
export function addTranslations(
  first: Cues,
  second: Cues,
  originals: readonly string[],
  texts: readonly (string | null)[],
): { cues: Cues; count: number } {
  const waiting = new Map<string, string[]>();
  originals.forEach((original, at) => {
    const text = texts[at]?.trim();
    if (text) waiting.set(original, [...(waiting.get(original) ?? []), text]);
  });
  const found = pairs(shownOf(first), shownOf(second));
  const changed = new Map<string, Cue>();
  const added: Cue[] = [];
  for (const cue of untranslated(first, second)) {
    const text = waiting.get(cue.text)?.shift();
    if (text === undefined) continue;
    const empty = found.get(cue.id);
    if (empty) changed.set(empty.id, { ...empty, text, is_checked: false });
    else added.push({ ...newCue(cue.begin, cue.end, text), is_checked: false });
  }
  const cues = sorted([...second.map((cue) => changed.get(cue.id) ?? cue), ...added]);
  return { cues, count: added.length + changed.size };
}

import { useMemo, useSyncExternalStore } from "react";

import { type Cue, type Cues, pairs, shownOf } from "./cues";
import type { Conflict, Refusal, Sheet, SheetState } from "./sheet";
import { allWarnings, type Warning } from "./warnings";

export type Filter = "all" | "warnings" | "unchecked" | "untranslated";

/** A cue that is not saved before somebody decides about it or changes it, and that no row shows. */
export type Rowless = {
  id: string;
  sheet: Sheet;
  cue: Cue | undefined;
  conflict: Conflict | undefined;
  refusal: Refusal | undefined;
};

export type CaptionView = {
  state: SheetState;
  secondState: SheetState | null;
  /** The cues of the first language that are published, and those that are kept beside them. */
  shown: Cues;
  aside: Cues;
  secondShown: Cues;
  /** The translation of each cue, by the id of the cue. */
  paired: ReadonlyMap<string, Cue>;
  warnings: ReadonlyMap<string, readonly Warning[]>;
  /** Counted from 1 among the shown cues. */
  numbers: ReadonlyMap<string, number>;
  /** What the filter leaves, and the current cue. */
  listed: Cues;
  currentCue: Cue | undefined;
  /** Cues that begin after the end of the video: it was replaced by a shorter one. */
  late: Cues;
  counts: Record<Exclude<Filter, "all">, number>;
  /** Cues of the second language that a model wrote, and nobody has checked. */
  secondUnchecked: number;
  isUnchecked: (cue: Cue) => boolean;
  /** The cues whose row, or its translation, waits for a decision or a change before it is saved. */
  undecided: ReadonlySet<string>;
  rowless: readonly Rowless[];
};

const NOTHING = () => () => undefined;
const NO_STATE = () => null;

/** What the editor shows of one or two languages. @param duration of the video in seconds; 0 if it is not known */
export function useCaptionView(
  sheet: Sheet,
  second: Sheet | null,
  { filter, current, duration }: { filter: Filter; current: string | null; duration: number },
): CaptionView {
  const state = useSyncExternalStore(sheet.subscribe, sheet.state);
  const secondState = useSyncExternalStore(second?.subscribe ?? NOTHING, second?.state ?? NO_STATE);
  const shown = useMemo(() => shownOf(state.cues), [state.cues]);
  const aside = useMemo(() => state.cues.filter((cue) => cue.state === "aside"), [state.cues]);
  const warnings = useMemo(() => allWarnings(shown, duration), [shown, duration]);
  const secondShown = useMemo(() => shownOf(secondState?.cues ?? []), [secondState?.cues]);
  const paired = useMemo(() => pairs(shown, secondShown), [shown, secondShown]);
  const numbers = useMemo(() => new Map(shown.map(({ id }, at) => [id, at + 1])), [shown]);

  const isUntranslated = (cue: Cue): boolean => !paired.get(cue.id)?.text.trim();
  /** A translation without a text has nothing to check. */
  const isUnchecked = (cue: Cue): boolean => {
    const other = paired.get(cue.id);
    return !cue.is_checked || (other?.is_checked === false && other.text.trim() !== "");
  };
  const undecided = new Set<string>();
  const rowless: Rowless[] = [];
  /** @param rowOf the id of the cue in whose row a cue is shown */
  const collect = (
    one: Sheet,
    { cues, conflicts, refused }: SheetState,
    rowOf: (id: string) => string | undefined,
  ): void => {
    for (const id of new Set([...conflicts.keys(), ...refused.keys()])) {
      const row = rowOf(id);
      if (row !== undefined) undecided.add(row);
      else
        rowless.push({
          id,
          sheet: one,
          cue: cues.find((cue) => cue.id === id),
          conflict: conflicts.get(id),
          refusal: refused.get(id),
        });
    }
  };
  collect(sheet, state, (id) => (numbers.has(id) ? id : undefined));
  if (second && secondState)
    collect(second, secondState, (id) => shown.find((cue) => paired.get(cue.id)?.id === id)?.id);
  return {
    state,
    secondState,
    shown,
    aside,
    secondShown,
    paired,
    warnings,
    numbers,
    listed: shown.filter(
      (cue) =>
        filter === "all" ||
        cue.id === current ||
        (filter === "warnings" && warnings.has(cue.id)) ||
        (filter === "unchecked" && isUnchecked(cue)) ||
        (filter === "untranslated" && isUntranslated(cue)),
    ),
    currentCue: shown.find(({ id }) => id === current),
    late: duration > 0 ? shown.filter(({ begin }) => begin >= duration) : [],
    counts: {
      warnings: warnings.size,
      unchecked: shown.filter(isUnchecked).length,
      untranslated: second ? shown.filter(isUntranslated).length : 0,
    },
    secondUnchecked: secondShown.filter(({ is_checked, text }) => !is_checked && text.trim() !== "")
      .length,
    isUnchecked,
    undecided,
    rowless,
  };
}

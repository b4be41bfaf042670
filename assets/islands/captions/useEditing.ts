import { useMemo, useRef, useState } from "react";

import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import * as cues from "./cues";
import type { Cue, Cues } from "./cues";
import { History } from "./history";
import type { Sheet } from "./sheet";

export type Editing = {
  history: History;
  /** Change the first language. @param key of a field, for steps that are taken back together */
  edit: (make: (all: Cues) => Cues, key?: string) => void;
  /** Change the first language, and the translation of these cues where it has the same times. */
  editWithPairs: (
    ids: readonly string[],
    make: (all: Cues) => Cues,
    makeSecond: (all: Cues, pairs: readonly Cue[], now: Cues) => Cues,
  ) => void;
  setTime: (id: string, edge: "begin" | "end", seconds: number) => void;
  translate: (cue: Cue, text: string) => void;
  /** Mark a cue and its translation as checked. */
  check: (id: string) => void;
  /** Change the second language only. */
  editSecond: (make: (all: Cues) => Cues) => void;
  undo: () => string | null;
  redo: () => string | null;
};

/** Changes of one or two languages, each with its way back. */
export function useEditing(
  sheet: Sheet,
  second: Sheet | null,
  pairOf: (id: string) => Cue | undefined,
  isLocked: boolean,
): Editing {
  const history = useRef(new History()).current;
  const [, setSteps] = useState(0);
  const lookup = useRef(pairOf);
  lookup.current = pairOf;
  return useMemo(() => {
    const done = (): void => setSteps((count) => count + 1);
    const edit: Editing["edit"] = (make, key = "") => {
      if (isLocked) return;
      history.push([{ sheet, patch: sheet.set(make(sheet.state().cues)) }], key);
      done();
    };
    return {
      history,
      edit,
      editWithPairs: (ids, make, makeSecond) => {
        if (isLocked) return;
        const before = sheet.state().cues;
        const found = ids.flatMap((id) => {
          const cue = before.find((one) => one.id === id);
          const pair = lookup.current(id);
          return pair && pair.begin === cue?.begin && pair.end === cue.end ? [pair] : [];
        });
        const changes = [{ sheet, patch: sheet.set(make(before)) }];
        if (second && found.length === ids.length) {
          const next = makeSecond(second.state().cues, found, sheet.state().cues);
          changes.push({ sheet: second, patch: second.set(next) });
        }
        history.push(changes);
        done();
      },
      setTime: (id, edge, seconds) => {
        if (isLocked) return;
        const before = sheet.state().cues.find((cue) => cue.id === id);
        const pair = second ? lookup.current(id) : undefined;
        const changes = [
          { sheet, patch: sheet.set(cues.setTime(sheet.state().cues, id, edge, seconds)) },
        ];
        // A translation that had the same time keeps it.
        if (second && before && pair?.begin === before.begin && pair.end === before.end) {
          const now = sheet.state().cues.find((cue) => cue.id === id);
          if (now)
            changes.push({
              sheet: second,
              patch: second.set(
                cues.change(second.state().cues, pair.id, { begin: now.begin, end: now.end }),
              ),
            });
        }
        history.push(changes, `${id} ${edge}`);
        done();
      },
      translate: (cue, text) => {
        if (isLocked || !second) return;
        const pair = lookup.current(cue.id);
        const all = second.state().cues;
        const next = pair
          ? cues.change(all, pair.id, { text })
          : cues.sorted([...all, cues.newCue(cue.begin, cue.end, text)]);
        history.push([{ sheet: second, patch: second.set(next) }], `${cue.id} second`);
        done();
      },
      check: (id) => {
        if (isLocked) return;
        const changes = [
          { sheet, patch: sheet.set(cues.change(sheet.state().cues, id, { is_checked: true })) },
        ];
        const pair = lookup.current(id);
        if (second && pair && !pair.is_checked) {
          const next = cues.change(second.state().cues, pair.id, { is_checked: true });
          changes.push({ sheet: second, patch: second.set(next) });
        }
        history.push(changes);
        done();
      },
      editSecond: (make) => {
        if (isLocked || !second) return;
        history.push([{ sheet: second, patch: second.set(make(second.state().cues)) }]);
        done();
      },
      undo: () => {
        const id = history.undo();
        done();
        if (id === null) toast(t("There is nothing to undo"));
        return id;
      },
      redo: () => {
        const id = history.redo();
        done();
        return id;
      },
    };
  }, [history, sheet, second, isLocked]);
}

import { type RefObject, useCallback, useMemo, useRef } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import type { ListHandle } from "./CueList";
import type { RowActions } from "./CueRow";
import * as cueLists from "./cues";
import { type Cue, cueAt, shownOf } from "./cues";
import type { Sheet } from "./sheet";
import type { CaptionView } from "./useCaptionView";
import type { Editing } from "./useEditing";
import type { PlayedVideo } from "../../shared/video/playedVideo";
import { roomFor } from "./warnings";

export type CueActions = {
  /** Make a cue the current one and scroll to it; the focus stays where it is. */
  show: (id: string) => void;
  /** Show a cue, and put the caret into the same field that had it. @param caret its place in the text */
  goTo: (id: string, kind?: string, caret?: number) => void;
  split: (id: string) => void;
  merge: (id: string) => void;
  add: () => void;
  remove: (id: string) => void;
  /** Go to the next or the previous cue of the list. */
  step: (by: number) => void;
  goToNextWarning: () => void;
  goToNextUnchecked: () => void;
  /** Go to the next cue that is not saved before somebody decides about it. */
  goToNextUndecided: () => void;
  /** Play the current cue, else the one that is heard. */
  replay: () => void;
  undo: () => void;
  setLateAside: () => void;
  /** For the rows: the object stays the same. */
  rows: RowActions;
};

type Options = {
  sheet: Sheet;
  second: Sheet | null;
  view: CaptionView;
  editing: Editing;
  video: PlayedVideo;
  /** Seconds of the video; 0 if it is not known. */
  duration: number;
  isLocked: boolean;
  current: string | null;
  setCurrent: (id: string | null) => void;
  list: RefObject<ListHandle | null>;
  root: RefObject<HTMLElement | null>;
};

const fieldOf = (id: string, kind: string): HTMLElement | null =>
  document.getElementById(`${kind}-${id}`);

/** What authors do to single cues, and where the focus is afterwards. */
export function useCueActions(options: Options): CueActions {
  const { sheet, view, editing, video, isLocked, current, setCurrent, list, root } = options;
  const { shown, listed, warnings } = view;
  const { edit, setTime, translate, check } = editing;

  const show = useCallback(
    (id: string): void => {
      setCurrent(id);
      list.current?.show(id);
    },
    [setCurrent, list],
  );
  const goTo = useCallback(
    (id: string, kind = "", caret?: number): void => {
      show(id);
      const at = kind || /^(begin|end|text|second)-/.exec(document.activeElement?.id ?? "")?.[1];
      // The row may only be drawn now.
      requestAnimationFrame(() => {
        list.current?.show(id);
        requestAnimationFrame(() => {
          const field = fieldOf(id, at ?? "text");
          field?.focus({ preventScroll: true });
          if (caret !== undefined && field instanceof HTMLTextAreaElement)
            field.setSelectionRange(caret, caret);
        });
      });
    },
    [show, list],
  );
  const focusSoon = (selector: string): void =>
    void requestAnimationFrame(() => root.current?.querySelector<HTMLElement>(selector)?.focus());
  const isInList = (): boolean =>
    root.current?.querySelector(".cues")?.contains(document.activeElement) ?? false;

  const split = (id: string): void => {
    const cue = shown.find((one) => one.id === id);
    if (!cue) return;
    const text = fieldOf(id, "text");
    const caret = text instanceof HTMLTextAreaElement ? text.selectionStart : 0;
    const isMiddle = caret > 0 && caret < cue.text.length;
    const byTime = video.time > cue.begin && video.time < cue.end ? video.time : undefined;
    // Without a caret inside the text, the text is divided where the time divides the cue.
    const share = byTime === undefined ? 0.5 : (byTime - cue.begin) / (cue.end - cue.begin);
    const place = isMiddle ? caret : wordBreak(cue.text, share);
    editing.editWithPairs(
      [id],
      (all) => cueLists.split(all, id, place, isMiddle ? undefined : byTime),
      (all, [pair], now) => {
        // The translation is divided at the same second.
        const middle = now.find((one) => one.id === id)?.end;
        if (!pair || middle === undefined || middle === cue.end) return all;
        const part = (middle - cue.begin) / (cue.end - cue.begin);
        return cueLists.split(all, pair.id, wordBreak(pair.text, part), middle);
      },
    );
    // As after Enter in a text, the caret stands at the beginning of the second part.
    const parts = shownOf(sheet.state().cues);
    const rest = parts[parts.findIndex((one) => one.id === id) + 1];
    if (parts.length === shown.length || !rest) {
      toast(t("This caption is too short to be split"));
      return;
    }
    goTo(rest.id, "text", 0);
    announce(t("Caption split"));
  };
  const merge = (id: string): void => {
    const at = shown.findIndex((one) => one.id === id);
    const [cue, next] = [shown[at], shown[at + 1]];
    if (!cue || !next) {
      toast(t("There is no caption after this one"));
      return;
    }
    editing.editWithPairs(
      [id, next.id],
      (all) => cueLists.mergeWithNext(all, id),
      (all, [pair, other]) => (pair && other ? cueLists.mergeWithNext(all, pair.id) : all),
    );
    // The field that had the focus may be gone. The caret stands at the seam.
    goTo(id, "text", cue.text.trim() === "" ? 0 : cue.text.length);
    announce(t("Captions merged"));
  };
  const add = (): void => {
    if (isLocked) return;
    const added = cueLists.add(sheet.state().cues, current, video.time);
    edit(() => added.cues);
    goTo(added.cue.id, "text");
  };
  const remove = (id: string): void => {
    const at = listed.findIndex((cue) => cue.id === id);
    const next = listed[at + 1] ?? listed[at - 1];
    editing.editWithPairs(
      [id],
      (all) => cueLists.remove(all, id),
      (all, [pair]) => (pair ? cueLists.remove(all, pair.id) : all),
    );
    announce(t("Caption deleted"));
    if (next) goTo(next.id);
    else {
      setCurrent(null);
      focusSoon(".capempty button");
    }
  };
  const step = (by: number): void => {
    const at = listed.findIndex(({ id }) => id === current);
    const next = listed[at === -1 ? 0 : at + by];
    if (next) goTo(next.id);
  };
  /** The first cue after the current one that is wanted; from the beginning once the end is reached. */
  const findNext = (isWanted: (cue: Cue) => boolean): Cue | undefined => {
    const at = shown.findIndex(({ id }) => id === current);
    return [...shown.slice(at + 1), ...shown.slice(0, at + 1)].find(isWanted);
  };

  const { second: other, duration } = options;
  const here = useRef({ split, merge, edit, shown, paired: view.paired, other, duration });
  here.current = { split, merge, edit, shown, paired: view.paired, other, duration };
  const rows = useMemo<RowActions>(
    () => ({
      onFocus: setCurrent,
      onText: (id, text) =>
        here.current.edit((all) => cueLists.change(all, id, { text }), `${id} text`),
      onTranslate: (id, text) => {
        const cue = here.current.shown.find((one) => one.id === id);
        if (cue) translate(cue, text);
      },
      onTime: setTime,
      onSplit: (id) => here.current.split(id),
      onMerge: (id) => here.current.merge(id),
      onRoom: (id) => {
        const room = roomFor(here.current.shown, id, here.current.duration);
        if (room)
          here.current.edit((all) =>
            cueLists.change(all, id, { begin: room.begin, end: room.end }),
          );
      },
      onCheck: check,
      onResolve: (id, isSecond, choice) => {
        const { other } = here.current;
        if (!isSecond) sheet.resolve(id, choice);
        else if (other) other.resolve(here.current.paired.get(id)?.id ?? "", choice);
        // The button that had the focus is gone.
        if (shownOf(sheet.state().cues).some((cue) => cue.id === id))
          goTo(id, isSecond ? "second" : "text");
      },
    }),
    [sheet, goTo, setCurrent, setTime, translate, check],
  );

  return {
    show,
    goTo,
    split,
    merge,
    add,
    remove,
    step,
    goToNextWarning: () => {
      const found = findNext(({ id }) => warnings.has(id));
      if (found) goTo(found.id);
      else toast(t("No caption has a warning"));
    },
    goToNextUnchecked: () => {
      const found = findNext(view.isUnchecked);
      if (found) goTo(found.id, "second");
    },
    goToNextUndecided: () => {
      const found = findNext(({ id }) => view.undecided.has(id));
      if (found) goTo(found.id, "text");
    },
    replay: () => {
      const cue = view.currentCue ?? cueAt(shown, video.time);
      if (cue) void video.play(cue.begin, cue.end);
    },
    undo: () => {
      const id = editing.undo();
      if (id === null || !sheet.state().cues.some((cue) => cue.id === id)) return;
      if (isInList()) goTo(id);
      else show(id);
    },
    setLateAside: () => {
      const ids = new Set(view.late.map(({ id }) => id));
      edit((all) => cueLists.setAside(all, ids));
      announce(t("Captions set aside"));
      focusSoon(".capasides summary");
    },
    rows,
  };
}

/** The place between two words that is next to a share of a text. */
function wordBreak(text: string, share: number): number {
  const wanted = Math.round(text.length * share);
  let best = wanted;
  let least = Infinity;
  for (const { index } of text.matchAll(/\s+/g)) {
    if (Math.abs(index - wanted) < least) [best, least] = [index, Math.abs(index - wanted)];
  }
  return best;
}

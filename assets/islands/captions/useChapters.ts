import { useEffect, useRef, useState } from "react";

import { ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import {
  openUnsavedStore,
  type Unsaved,
  type UnsavedStore,
} from "../../shared/saving/unsavedStore";
import { toast } from "../../shared/toasts";
import { type Chapter, saveChapters } from "./api";
import { formatTime, parseTime } from "./time";

type Typed = { time: string; title: string };
export type Row = Typed & { key: number };

export type ChapterList = {
  rows: readonly Row[];
  canSave: boolean;
  failure: unknown;
  /** What another author has saved meanwhile, so that these can't be saved before somebody decides. */
  theirs: readonly Chapter[] | null;
  add: (start: number) => void;
  edit: (key: number, part: Partial<Typed>) => void;
  remove: (key: number) => void;
  save: () => Promise<void>;
  /** Decide between these and those of another author. */
  decide: (choice: "mine" | "theirs" | "both") => Promise<void>;
};

/** The field of the device's store. */
const FIELD = "chapters";

let keys = 0;
const typedOf = ({ start, title }: Chapter): Typed => ({
  time: formatTime(start).replace(/\.\d+$/, ""),
  title,
});
const rowOf = (typed: Typed): Row => ({ ...typed, key: (keys += 1) });

function chaptersOf(rows: readonly Typed[]): Chapter[] {
  return rows
    .map(({ time, title }) => ({ start: Math.floor(parseTime(time) ?? -1), title: title.trim() }))
    .sort((one, other) => one.start - other.start);
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Chapters as they were typed, with what other authors have saved since their author began. */
export function mergeChapters(
  base: readonly Typed[],
  mine: readonly Typed[],
  theirs: readonly Typed[],
): Typed[] {
  const nameOf = ({ time, title }: Typed): string => `${time} ${title}`;
  const namesOf = (rows: readonly Typed[]): Set<string> => new Set(rows.map(nameOf));
  const [before, here, there] = [namesOf(base), namesOf(mine), namesOf(theirs)];
  return [
    ...theirs.filter((row) => !before.has(nameOf(row)) || here.has(nameOf(row))),
    ...mine.filter((row) => !before.has(nameOf(row)) && !there.has(nameOf(row))),
  ].sort((one, other) => (parseTime(one.time) ?? Infinity) - (parseTime(other.time) ?? Infinity));
}

/** The chapters of a lesson's video. What is typed is on this device until it is saved. */
export function useChapters(
  lesson: string,
  author: string,
  initial: readonly Chapter[],
  isLocked: boolean,
): ChapterList {
  const [saved, setSaved] = useState(initial);
  const [rows, setRows] = useState<readonly Row[]>(() => initial.map(typedOf).map(rowOf));
  const [failure, setFailure] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<readonly Chapter[] | null>(null);
  const [isSaving, setSaving] = useState(false);
  const store = useRef<UnsavedStore | null>(null);
  const now = useRef({ rows, saved });
  now.current = { rows, saved };

  const chapters = chaptersOf(rows);
  const isChanged = !isSame(chapters, saved);
  const isReadable = chapters.every(({ start, title }) => start >= 0 && title !== "");

  const keep = (next: readonly Row[], base: readonly Chapter[]): void => {
    const value = next.map(({ time, title }) => ({ time, title }));
    const field: Unsaved = { value, base: "", baseValue: base, at: Date.now() };
    store.current?.write(isSame(chaptersOf(next), base) ? {} : { [FIELD]: field });
  };
  const show = (next: readonly Row[]): void => {
    now.current = { ...now.current, rows: next };
    setRows(next);
    keep(next, now.current.saved);
  };
  const takeUp = (kept: readonly Record<string, Unsaved>[]): void => {
    let next: readonly Typed[] = now.current.rows;
    for (const { [FIELD]: field } of kept) {
      if (!field || !Array.isArray(field.value) || !Array.isArray(field.baseValue)) continue;
      const base = (field.baseValue as Chapter[]).map(typedOf);
      next = mergeChapters(base, field.value as Typed[], next);
    }
    if (next === now.current.rows) keep(now.current.rows, now.current.saved);
    else show(next.map(rowOf));
  };
  const onOpen = useRef(takeUp);
  onOpen.current = takeUp;

  useEffect(() => {
    if (isLocked) return undefined;
    let isOver = false;
    openUnsavedStore(author, `chapters:${lesson}`)
      .then((opened) => {
        if (isOver) return;
        store.current = opened.store;
        onOpen.current(opened.kept);
      })
      .catch(() => undefined); // then they are in this tab only
    return () => {
      isOver = true;
    };
  }, [lesson, author, isLocked]);

  /** @param before the chapters of the server that these replace */
  const save = async (before = saved): Promise<void> => {
    setSaving(true);
    setFailure(null);
    try {
      const stored = await saveChapters(lesson, chapters, before);
      const typed = stored.map(typedOf);
      // What was typed meanwhile stays.
      const next = isSame(chaptersOf(now.current.rows), chapters)
        ? typed
        : mergeChapters(rows, now.current.rows, typed);
      now.current.saved = stored;
      setSaved(stored);
      show(next.map(rowOf));
      toast(t("The chapters were saved."));
    } catch (reason) {
      const others = othersOf(reason);
      setTheirs(others);
      if (!others) setFailure(reason);
    } finally {
      setSaving(false);
    }
  };

  return {
    rows,
    theirs,
    canSave: isChanged && isReadable && !isSaving,
    failure,
    add: (start) => show([...rows, rowOf(typedOf({ start: rows.length ? start : 0, title: "" }))]),
    edit: (key, part) => show(rows.map((row) => (row.key === key ? { ...row, ...part } : row))),
    remove: (key) => show(rows.filter((row) => row.key !== key)),
    save: () => save(),
    decide: async (choice) => {
      if (!theirs) return;
      setTheirs(null);
      const typed = theirs.map(typedOf);
      const both = mergeChapters(saved.map(typedOf), rows, typed);
      now.current.saved = theirs;
      setSaved(theirs);
      show(choice === "mine" ? rows : (choice === "both" ? both : typed).map(rowOf));
      if (choice === "mine") await save(theirs);
    },
  };
}

/** What another author has saved, if that is why a save was refused. */
function othersOf(reason: unknown): readonly Chapter[] | null {
  const found = reason instanceof ApiError && reason.is("CHAPTERS_CHANGED");
  return found ? (reason.problem.params["chapters"] as Chapter[]) : null;
}

import { useRef, useState } from "react";

import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { countOf, type Cues, findNext } from "./cues";
import type { CaptionView, Filter } from "./useCaptionView";

type Props = {
  isLocked: boolean;
  canUndo: boolean;
  canRedo: boolean;
  hasCurrent: boolean;
  isFinding: boolean;
  onUndo: () => void;
  onRedo: () => void;
  onSplit: () => void;
  onMerge: () => void;
  onAdd: () => void;
  onDelete: () => void;
  onShift: () => void;
  onFind: () => void;
};

/** Which captions are listed. */
export function FilterButtons({
  filter,
  counts,
  hasSecond,
  onChoose,
}: {
  filter: Filter;
  counts: CaptionView["counts"];
  hasSecond: boolean;
  onChoose: (filter: Filter) => void;
}) {
  const filters: (readonly [Filter, string, number?])[] = [
    ["all", t("All")],
    ["warnings", t("Warnings"), counts.warnings],
    ["unchecked", t("Unchecked"), counts.unchecked],
  ];
  if (hasSecond) filters.push(["untranslated", t("Not translated"), counts.untranslated]);
  return (
    <div className="seg seg--wrap" role="group" aria-label={t("Show")}>
      {filters.map(([key, label, count]) => (
        <button key={key} type="button" aria-pressed={filter === key} onClick={() => onChoose(key)}>
          {label}
          {count !== undefined && <span className="num">{count}</span>}
        </button>
      ))}
    </div>
  );
}

/** What can be done with the cues. */
export function Tools(props: Props) {
  const { isLocked, hasCurrent } = props;
  if (isLocked) return null;
  return (
    <div className="toolrow mt-3" role="group" aria-label={t("Change captions")}>
      <button
        className="icon-btn icon-btn--sm"
        type="button"
        aria-label={t("Undo")}
        disabled={!props.canUndo}
        onClick={props.onUndo}
      >
        <Icon name="undo-2" />
      </button>
      <button
        className="icon-btn icon-btn--sm"
        type="button"
        aria-label={t("Redo")}
        disabled={!props.canRedo}
        onClick={props.onRedo}
      >
        <Icon name="redo-2" />
      </button>
      <span className="toolrow__gap" />
      <button
        className="btn btn--quiet btn--sm"
        type="button"
        disabled={!hasCurrent}
        onClick={props.onSplit}
      >
        <Icon name="split" />
        {t("Split")}
      </button>
      <button
        className="btn btn--quiet btn--sm"
        type="button"
        disabled={!hasCurrent}
        onClick={props.onMerge}
      >
        <Icon name="merge" />
        {t("Merge")}
      </button>
      <button className="btn btn--quiet btn--sm" type="button" onClick={props.onAdd}>
        <Icon name="plus" />
        {t("Add")}
      </button>
      <button
        className="btn btn--quiet btn--sm"
        type="button"
        disabled={!hasCurrent}
        onClick={props.onDelete}
      >
        <Icon name="trash-2" />
        {t("Delete")}
      </button>
      <span className="toolrow__gap" />
      <button className="btn btn--quiet btn--sm" type="button" onClick={props.onShift}>
        <Icon name="move-horizontal" />
        {t("Shift")}
      </button>
      <button
        className="btn btn--quiet btn--sm"
        type="button"
        aria-expanded={props.isFinding}
        onClick={props.onFind}
      >
        <Icon name="replace" />
        {t("Find and replace")}
      </button>
    </div>
  );
}

/** Find and replace in the texts of one language. */
export function FindLine({
  cues,
  current,
  onReplace,
  onShow,
}: {
  cues: Cues;
  current: string | null;
  onReplace: (find: string, replacement: string, isExact: boolean) => void;
  onShow: (id: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [find, setFind] = useState("");
  const [replacement, setReplacement] = useState("");
  const [isExact, setExact] = useState(false);
  const count = countOf(cues, find, isExact);
  const next = (): void => {
    const found = findNext(cues, find, current, isExact);
    if (found) onShow(found.id);
  };
  return (
    <form
      className="findline panel panel__body mt-3"
      aria-label={t("Find and replace")}
      onSubmit={(event) => {
        event.preventDefault();
        next();
      }}
    >
      <div className="field">
        <label className="field__label" htmlFor="captions-find">
          {t("Find")}
        </label>
        <input
          className="input"
          id="captions-find"
          ref={field}
          value={find}
          autoComplete="off"
          onChange={({ target }) => setFind(target.value)}
        />
      </div>
      <div className="field">
        <label className="field__label" htmlFor="captions-replace">
          {t("Replace with")}
        </label>
        <input
          className="input"
          id="captions-replace"
          value={replacement}
          autoComplete="off"
          onChange={({ target }) => setReplacement(target.value)}
        />
      </div>
      <div className="row row--tight">
        <button
          className="btn btn--sm"
          type="button"
          disabled={count === 0}
          onClick={() => {
            onReplace(find, replacement, isExact);
            field.current?.focus(); // nothing is left to replace, so the button is off
          }}
        >
          {tn("Replace {count}", "Replace {count}", count)}
        </button>
        <button className="btn btn--sm" type="submit" disabled={count === 0}>
          {t("Next")}
        </button>
      </div>
      <label className="check findline__exact">
        <input
          type="checkbox"
          checked={isExact}
          onChange={({ target }) => setExact(target.checked)}
        />
        <span>{t("Match capitals")}</span>
      </label>
    </form>
  );
}

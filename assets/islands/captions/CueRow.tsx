import { memo, useState } from "react";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { ConflictNotice } from "./ConflictNotice";
import type { Cue } from "./cues";
import type { Conflict } from "./sheet";
import { formatTime, parseTime } from "./time";
import { speedOf, type Warning, warningsOf } from "./warnings";

/** What a row asks the editor to do. The object stays the same, so rows are drawn only when their cue changes. */
export type RowActions = {
  onFocus: (id: string) => void;
  onText: (id: string, text: string) => void;
  onTranslate: (id: string, text: string) => void;
  onTime: (id: string, edge: "begin" | "end", seconds: number) => void;
  onSplit: (id: string) => void;
  onMerge: (id: string) => void;
  onRoom: (id: string) => void;
  onCheck: (id: string) => void;
  /** @param isSecond whether it is about the translation */
  onResolve: (id: string, isSecond: boolean, choice: "mine" | "theirs") => void;
};

export type RowProps = {
  cue: Cue;
  /** Counted from 1 among all shown cues. */
  number: number;
  isCurrent: boolean;
  isLast: boolean;
  isLocked: boolean;
  /** Seconds of the video; 0 if it is not known. */
  duration: number;
  warnings: readonly Warning[] | undefined;
  /** Seconds that could be added to a cue that is too fast; 0 if there is no room. */
  room: number;
  language: string;
  languageName: string;
  /** The language beside the first; the same object until another one is chosen. */
  second: { language: string; name: string } | null;
  /** The translation. */
  other: Cue | undefined;
  conflict: Conflict | undefined;
  /** Why the server does not accept the caption; "" if it does. */
  refusal: string;
  /** The same of the translation. */
  otherRefusal: string;
  otherConflict: Conflict | undefined;
  actions: RowActions;
};

const seconds = (length: number): string => t("{seconds} s", { seconds: length.toFixed(1) });

function TimeField({
  id,
  label,
  value,
  isLocked,
  onCommit,
}: {
  id: string;
  label: string;
  value: number;
  isLocked: boolean;
  onCommit: (seconds: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null && parseTime(typed) === null;
  const commit = (): void => {
    const read = typed === null ? null : parseTime(typed);
    if (read !== null && Math.abs(read - value) > 0.0005) onCommit(read);
    if (read !== null) setTyped(null);
  };
  return (
    <>
      <label className="vh" htmlFor={id}>
        {label}
      </label>
      <input
        className="input"
        id={id}
        inputMode="decimal"
        autoComplete="off"
        readOnly={isLocked}
        aria-invalid={isWrong || undefined}
        title={isWrong ? t("A time is written like 1:38.50") : undefined}
        value={typed ?? formatTime(value)}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.altKey) commit();
          if (event.key === "Escape") setTyped(null);
          if (
            !event.altKey &&
            !isLocked &&
            (event.key === "ArrowUp" || event.key === "ArrowDown")
          ) {
            event.preventDefault();
            setTyped(null);
            onCommit(value + (event.key === "ArrowUp" ? 0.1 : -0.1));
          }
        }}
      />
    </>
  );
}

/** One cue: its times, its text, that of the second language, and what is to say of it. */
export const CueRow = memo(function CueRow({
  cue,
  number,
  isCurrent,
  isLast,
  isLocked,
  duration,
  warnings,
  room,
  language,
  languageName,
  second,
  other,
  conflict,
  refusal,
  otherRefusal,
  otherConflict,
  actions,
}: RowProps) {
  const { id } = cue;
  const name = (rest: string): string => `${rest}-${id}`;
  const rows = Math.max(2, cue.text.split("\n").length);
  /** By a model, and nobody has checked it. */
  const isTranslated = !!other?.text.trim() && !other.is_checked;
  const isTooLong =
    other &&
    warningsOf(other, Infinity, duration).some(
      ({ kind }) => kind === "fast" || kind === "long-line",
    );
  return (
    // The row is only told that one of its fields has the focus.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={t("Caption {number}", { number })}
      className={isCurrent ? "cue cue--on" : "cue"}
      data-cue={id}
      onFocus={() => actions.onFocus(id)}
    >
      <div className="cue__t">
        <TimeField
          id={name("begin")}
          label={t("Caption {number} begins", { number })}
          value={cue.begin}
          isLocked={isLocked}
          onCommit={(at) => actions.onTime(id, "begin", at)}
        />
        <TimeField
          id={name("end")}
          label={t("Caption {number} ends", { number })}
          value={cue.end}
          isLocked={isLocked}
          onCommit={(at) => actions.onTime(id, "end", at)}
        />
      </div>
      <div>
        <label className="vh" htmlFor={name("text")}>
          {t("Caption {number}, {language}", { number, language: languageName })}
        </label>
        <textarea
          className="textarea"
          id={name("text")}
          rows={rows}
          lang={language}
          dir="auto"
          maxLength={2000}
          readOnly={isLocked}
          aria-invalid={refusal !== "" || undefined}
          value={cue.text}
          onChange={({ target }) => actions.onText(id, target.value)}
        />
      </div>
      {second && (
        <div>
          <label className="vh" htmlFor={name("second")}>
            {t("Caption {number}, {language}", { number, language: second.name })}
          </label>
          <textarea
            className="textarea"
            id={name("second")}
            rows={rows}
            lang={second.language}
            dir="auto"
            maxLength={2000}
            readOnly={isLocked}
            placeholder={t("Not translated")}
            aria-invalid={otherRefusal !== "" || undefined}
            value={other?.text ?? ""}
            onChange={({ target }) => actions.onTranslate(id, target.value)}
          />
        </div>
      )}
      <div className="cue__foot">
        <span>{t("Caption {number}", { number })}</span>
        <span>{seconds(cue.end - cue.begin)}</span>
        {[refusal, otherRefusal].map(
          (reason, at) =>
            reason !== "" && (
              <span key={at} className="hint hint--warn">
                <Icon name="triangle-alert" />
                <span>
                  {t("{language}, not saved: {reason}", {
                    language: at === 0 ? languageName : (second?.name ?? ""),
                    reason,
                  })}
                </span>
              </span>
            ),
        )}
        {warnings?.map((warning) => (
          <span key={warning.kind} className="hint hint--warn">
            <Icon name={iconOf(warning)} />
            <span>{sentenceOf(warning, room)}</span>
          </span>
        ))}
        {!warnings?.some(({ kind }) => kind === "fast" || kind === "empty") && (
          <span>{t("{count} characters a second", { count: speedOf(cue) })}</span>
        )}
        {room > 0 && !isLocked && (
          <button className="btn btn--sm" type="button" onClick={() => actions.onRoom(id)}>
            <Icon name="unfold-horizontal" />
            {t("Add {seconds} s", { seconds: room.toFixed(1) })}
          </button>
        )}
        {second && !other?.text.trim() && (
          <span className="badge badge--warn">
            <span className="pip" aria-hidden="true" />
            {t("Not translated")}
          </span>
        )}
        {second && isTooLong && (
          <span className="hint hint--warn">
            <Icon name="ruler" />
            <span>{t("{language}: too long to read in time", { language: second.name })}</span>
          </span>
        )}
        {(!cue.is_checked || isTranslated) && (
          <span className="row row--tight">
            <span className="badge badge--info">
              {cue.is_checked
                ? t("{language}: automatic", { language: second?.name ?? "" })
                : t("Automatic")}
            </span>
            {!isLocked && (
              <button
                className="btn btn--quiet btn--sm"
                type="button"
                onClick={() => actions.onCheck(id)}
              >
                <Icon name="check" />
                {t("Checked")}
              </button>
            )}
          </span>
        )}
        {isCurrent && !isLocked && (
          <span className="right row row--tight cue__acts">
            <button
              className="btn btn--quiet btn--sm"
              type="button"
              onClick={() => actions.onSplit(id)}
            >
              <Icon name="split" />
              {t("Split")}
            </button>
            {!isLast && (
              <button
                className="btn btn--quiet btn--sm"
                type="button"
                onClick={() => actions.onMerge(id)}
              >
                <Icon name="merge" />
                {t("Merge with {number}", { number: number + 1 })}
              </button>
            )}
          </span>
        )}
      </div>
      {conflict && (
        <ConflictNotice
          conflict={conflict}
          language={second ? languageName : ""}
          onResolve={(choice) => actions.onResolve(id, false, choice)}
        />
      )}
      {otherConflict && (
        <ConflictNotice
          conflict={otherConflict}
          language={second?.name}
          onResolve={(choice) => actions.onResolve(id, true, choice)}
        />
      )}
    </div>
  );
});

const iconOf = ({ kind }: Warning) =>
  kind === "fast" ? "gauge" : kind === "long-line" || kind === "many-lines" ? "ruler" : "clock";

function sentenceOf(warning: Warning, room: number): string {
  switch (warning.kind) {
    case "fast":
      return room > 0
        ? t("{count} characters a second. Too fast to read: add time or split it.", {
            count: warning.speed,
          })
        : t("{count} characters a second. Too fast to read: shorten the text.", {
            count: warning.speed,
          });
    case "long-line":
      return t("Longer than two lines");
    case "many-lines":
      return t("{count} lines. Two fit on every screen.", { count: warning.count });
    case "overlap":
      return t("Still shown when the next one begins");
    case "short":
      return t("Too short to be noticed");
    case "late":
      return t("After the end of the video");
    case "empty":
      return t("No text: it isn't published");
  }
}

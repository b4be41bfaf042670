import { useId, useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { t, tn } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { type Reading, readFile } from "./api";
import { type Cues, shift, shownOf } from "./cues";
import { formatTime, parseShift } from "./time";

/** Move cues in time. */
export function ShiftDialog({
  cues,
  current,
  duration,
  onShift,
  onClose,
}: {
  cues: Cues;
  current: string | null;
  duration: number;
  onShift: (seconds: number, from: string | null) => void;
  onClose: () => void;
}) {
  const id = useId();
  const shown = shownOf(cues);
  const number = shown.findIndex((cue) => cue.id === current) + 1;
  const [typed, setTyped] = useState("");
  const [isFrom, setFrom] = useState(number > 1);
  const seconds = parseShift(typed);
  const from = isFrom && number > 0 ? current : null;
  const count = from === null ? shown.length : shown.length - number + 1;
  const lost =
    seconds === null ? 0 : shown.length - shownOf(shift(cues, seconds, from, duration)).length;
  const isReady = seconds !== null && seconds !== 0 && count > 0;
  return (
    <Dialog
      title={t("Shift captions")}
      onClose={onClose}
      actions={
        <>
          <button className="btn" type="button" onClick={onClose}>
            {t("Cancel")}
          </button>
          <button
            className="btn btn--primary"
            type="button"
            disabled={!isReady}
            onClick={() => seconds !== null && onShift(seconds, from)}
          >
            {tn("Shift {count} caption", "Shift {count} captions", count)}
          </button>
        </>
      }
    >
      <div className="stack gap-4">
        <div className="pair">
          <div className="field">
            <label className="field__label" htmlFor={`${id}-by`}>
              {t("By, in seconds")}
            </label>
            <input
              className="input"
              id={`${id}-by`}
              data-autofocus
              value={typed}
              autoComplete="off"
              aria-describedby={`${id}-hint`}
              aria-invalid={(typed !== "" && seconds === null) || undefined}
              onChange={({ target }) => setTyped(target.value)}
              onKeyDown={({ key }) => {
                if (key === "Enter" && isReady) onShift(seconds, from);
              }}
            />
            <p className="field__hint" id={`${id}-hint`}>
              {t("Negative is earlier, such as -1.5.")}
            </p>
          </div>
          <div className="field">
            <label className="field__label" htmlFor={`${id}-which`}>
              {t("Which")}
            </label>
            <select
              className="select"
              id={`${id}-which`}
              value={from === null ? "all" : "from"}
              onChange={({ target }) => setFrom(target.value === "from")}
            >
              <option value="all">{t("All")}</option>
              {number > 0 && (
                <option value="from">{t("From caption {number} on", { number })}</option>
              )}
            </select>
          </div>
        </div>
        {lost > 0 && (
          <p className="hint">
            <Icon name="info" />
            <span>
              {tn(
                "{count} caption falls outside of the video. It is set aside, not deleted.",
                "{count} captions fall outside of the video. They are set aside, not deleted.",
                lost,
              )}
            </span>
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** Read a caption file, look at what it says, and take it. */
export function ImportDialog({
  lesson,
  language,
  languageName,
  encodings,
  hasCues,
  onTake,
  onClose,
}: {
  lesson: string;
  language: string;
  languageName: string;
  encodings: Record<string, string>;
  hasCues: boolean;
  onTake: (reading: Reading, isAdded: boolean) => void;
  onClose: () => void;
}) {
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const [encoding, setEncoding] = useState("");
  const [reading, setReading] = useState<Reading | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isReading, setBusy] = useState(false);

  const read = async (chosen: File, as: string): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      setReading(await readFile(lesson, language, chosen, as));
    } catch (reason) {
      setReading(null);
      setFailure(reason);
    } finally {
      setBusy(false);
    }
  };
  const isShown = reading !== null || failure !== null;
  const aside = reading?.cues.filter(({ state }) => state === "aside").length ?? 0;
  return (
    <Dialog
      title={t("Import {language} captions", { language: languageName })}
      onClose={onClose}
      actions={
        <>
          <button className="btn" type="button" onClick={onClose}>
            {t("Cancel")}
          </button>
          {hasCues && (
            <button
              className="btn"
              type="button"
              disabled={!reading || isReading}
              onClick={() => reading && onTake(reading, true)}
            >
              {t("Add to these")}
            </button>
          )}
          <button
            className="btn btn--primary"
            type="button"
            disabled={!reading || isReading}
            onClick={() => reading && onTake(reading, false)}
          >
            {hasCues ? t("Replace these") : t("Import")}
          </button>
        </>
      }
    >
      <div className="stack gap-4">
        <div className="field">
          <label className="field__label" htmlFor={`${id}-file`}>
            {t("Caption file")}
          </label>
          <input
            className="input input--file"
            id={`${id}-file`}
            type="file"
            accept=".vtt,.srt,.sbv,.ass,.ssa,.ttml,.dfxp,.xml,.lrc,.sub,.txt,text/vtt"
            onChange={({ target }) => {
              const chosen = target.files?.[0] ?? null;
              setFile(chosen);
              setEncoding("");
              if (chosen) void read(chosen, "");
            }}
          />
        </div>
        {failure !== null && <ErrorPanel error={toApiError(failure)} />}
        {file && isShown && (
          <div className="field">
            <label className="field__label" htmlFor={`${id}-encoding`}>
              {t("Encoding")}
            </label>
            <select
              className="select"
              id={`${id}-encoding`}
              value={encoding === "" ? reading?.encoding : encoding}
              onChange={({ target }) => {
                setEncoding(target.value);
                void read(file, target.value);
              }}
            >
              {Object.entries(encodings).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
            {reading?.is_guess && (
              <p className="field__hint">
                {t("A guess: choose another one if the text below looks wrong.")}
              </p>
            )}
          </div>
        )}
        <p role="status" className="small muted">
          {isReading
            ? t("Reading the file")
            : reading &&
              tn(
                "{count} caption read as {format}.",
                "{count} captions read as {format}.",
                reading.cues.length,
                { format: reading.format },
              )}
        </p>
        {reading && (
          <>
            {reading.summary.length > 0 && (
              <ul className="small">
                {reading.summary.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            )}
            {aside > 0 && (
              <p className="hint">
                <Icon name="info" />
                <span>
                  {tn(
                    "{count} caption begins after the end of the video. It is set aside, not deleted.",
                    "{count} captions begin after the end of the video. They are set aside, not deleted.",
                    aside,
                  )}
                </span>
              </p>
            )}
            <ol className="studio__cues" lang={language}>
              {reading.cues.slice(0, 5).map((cue) => (
                <li key={cue.id}>
                  <span className="small faint num">{formatTime(cue.begin)}</span>
                  <p className="studio__cue" dir="auto">
                    {cue.text}
                  </p>
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </Dialog>
  );
}

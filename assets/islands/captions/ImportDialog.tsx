import { useId, useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { clock } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { type Reading, readFile } from "./reading";

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
                  <span className="small faint num">{clock(cue.begin)}</span>
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

import { useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { type Chapter, saveChapters } from "./api";
import { formatTime, parseTime } from "./time";
import type { EditedVideo } from "./video";

type Row = { key: number; time: string; title: string };
const MAX_CHAPTERS = 100;

let keys = 0;
const rowOf = ({ start, title }: Chapter): Row => ({
  key: (keys += 1),
  time: formatTime(start).replace(/\.\d+$/, ""),
  title,
});

/** The chapters of the video, which begin at the present second or at one that is typed. */
export function Chapters({
  lesson,
  saved,
  video,
  isLocked,
}: {
  lesson: string;
  saved: readonly Chapter[];
  video: EditedVideo;
  isLocked: boolean;
}) {
  const [before, setBefore] = useState(saved);
  const [rows, setRows] = useState(() => saved.map(rowOf));
  const [failure, setFailure] = useState<unknown>(null);
  const [isSaving, setSaving] = useState(false);
  const chapters = rows
    .map(({ time, title }) => ({ start: Math.floor(parseTime(time) ?? -1), title: title.trim() }))
    .sort((one, other) => one.start - other.start);
  const isReadable = chapters.every(({ start, title }) => start >= 0 && title !== "");
  const isChanged = JSON.stringify(chapters) !== JSON.stringify(before);

  const edit = (key: number, part: Partial<Row>): void =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const add = (): void => {
    const start = rows.length === 0 ? 0 : Math.floor(video.time);
    setRows([...rows, rowOf({ start, title: "" })]);
  };
  const save = async (): Promise<void> => {
    setSaving(true);
    setFailure(null);
    try {
      const stored = await saveChapters(lesson, chapters, before);
      setBefore(stored);
      setRows(stored.map(rowOf));
      toast(t("The chapters were saved."));
    } catch (reason) {
      setFailure(reason);
    } finally {
      setSaving(false);
    }
  };
  return (
    <section className="panel panel__body mt-4 capchapters" aria-labelledby="captions-chapters">
      <h2 className="h5" id="captions-chapters">
        {t("Chapters")}
      </h2>
      {rows.length === 0 && (
        <p className="small muted mt-2">{t("No chapters yet. The first one begins at 0:00.")}</p>
      )}
      <ol className="chapterlist mt-2">
        {rows.map(({ key, time, title }, at) => (
          <li key={key} className="row row--tight">
            <label className="vh" htmlFor={`chapter-time-${key}`}>
              {t("Chapter {number} begins", { number: at + 1 })}
            </label>
            <input
              className="input chapterlist__time"
              id={`chapter-time-${key}`}
              value={time}
              readOnly={isLocked}
              aria-invalid={parseTime(time) === null || undefined}
              onChange={({ target }) => edit(key, { time: target.value })}
            />
            <label className="vh" htmlFor={`chapter-title-${key}`}>
              {t("Chapter {number}, title", { number: at + 1 })}
            </label>
            <input
              className="input grow"
              id={`chapter-title-${key}`}
              value={title}
              maxLength={80}
              readOnly={isLocked}
              onChange={({ target }) => edit(key, { title: target.value })}
            />
            {!isLocked && (
              <button
                className="icon-btn icon-btn--sm"
                type="button"
                aria-label={t("Remove chapter {number}", { number: at + 1 })}
                onClick={() => setRows(rows.filter((row) => row.key !== key))}
              >
                <Icon name="x" />
              </button>
            )}
          </li>
        ))}
      </ol>
      {failure !== null && <ErrorPanel error={toApiError(failure)} />}
      {!isLocked && (
        <div className="row mt-3">
          <button
            className="btn btn--sm"
            type="button"
            disabled={rows.length >= MAX_CHAPTERS}
            onClick={add}
          >
            <Icon name="plus" />
            {t("Add a chapter here")}
          </button>
          <button
            className="btn btn--sm btn--primary"
            type="button"
            disabled={!isChanged || !isReadable || isSaving}
            onClick={() => void save()}
          >
            {t("Save chapters")}
          </button>
        </div>
      )}
    </section>
  );
}

import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { parseTime } from "./time";
import type { ChapterList } from "./useChapters";
import type { EditedVideo } from "./video";

const MAX_CHAPTERS = 100;

/** The chapters of the video, which begin at the present second or at one that is typed. */
export function Chapters({
  chapters,
  video,
  isLocked,
}: {
  chapters: ChapterList;
  video: EditedVideo;
  isLocked: boolean;
}) {
  const { rows, failure } = chapters;
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
              onChange={({ target }) => chapters.edit(key, { time: target.value })}
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
              onChange={({ target }) => chapters.edit(key, { title: target.value })}
            />
            {!isLocked && (
              <button
                className="icon-btn icon-btn--sm"
                type="button"
                aria-label={t("Remove chapter {number}", { number: at + 1 })}
                onClick={() => chapters.remove(key)}
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
            onClick={() => chapters.add(Math.floor(video.time))}
          >
            <Icon name="plus" />
            {t("Add a chapter here")}
          </button>
          <button
            className="btn btn--sm btn--primary"
            type="button"
            disabled={!chapters.canSave}
            onClick={() => void chapters.save()}
          >
            {t("Save chapters")}
          </button>
        </div>
      )}
    </section>
  );
}

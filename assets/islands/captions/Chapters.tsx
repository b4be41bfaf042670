import { useRef } from "react";

import { toApiError } from "../../shared/api/errors";
import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { LockLine, Notice } from "./Notices";
import { parseTime } from "./time";
import type { ChapterList } from "./useChapters";
import type { PlayedVideo } from "../../shared/video/playedVideo";

const MAX_CHAPTERS = 100;

/** The chapters of the video, which begin at the present second or at one that is typed. */
export function Chapters({
  chapters,
  video,
  isLocked,
  lockReason,
}: {
  chapters: ChapterList;
  video: PlayedVideo;
  isLocked: boolean;
  /** Why they can only be read; "" if that is said elsewhere. */
  lockReason: string;
}) {
  const { rows, failure, theirs } = chapters;
  const heading = useRef<HTMLHeadingElement>(null);
  const decide = (choice: "mine" | "theirs" | "both"): void => {
    void chapters.decide(choice);
    heading.current?.focus(); // the button goes
  };
  return (
    <section className="panel panel__body mt-4 capchapters" aria-labelledby="captions-chapters">
      <h2 className="h5" id="captions-chapters" ref={heading} tabIndex={-1}>
        {t("Chapters")}
      </h2>
      {lockReason !== "" && <LockLine reason={lockReason} />}
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
      {theirs && (
        <Notice
          isAlert
          acts={
            <>
              <button
                className="btn btn--sm"
                type="button"
                disabled={!chapters.canSave}
                onClick={() => decide("mine")}
              >
                {t("Save mine")}
              </button>
              <button className="btn btn--sm" type="button" onClick={() => decide("theirs")}>
                {t("Take the others")}
              </button>
              <button
                className="btn btn--quiet btn--sm"
                type="button"
                onClick={() => decide("both")}
              >
                {t("Put both together")}
              </button>
            </>
          }
        >
          {t("Another author has saved other chapters. Yours are above; the others are:")}{" "}
          {theirs.length === 0 && t("None: they were removed.")}
          {theirs.map(({ start, title }) => (
            <span key={start} className="capchapters__other">
              <span className="num">{clock(start)}</span> {title}
            </span>
          ))}
        </Notice>
      )}
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
            disabled={!chapters.canSave || theirs !== null}
            onClick={() => void chapters.save()}
          >
            {t("Save chapters")}
          </button>
        </div>
      )}
    </section>
  );
}

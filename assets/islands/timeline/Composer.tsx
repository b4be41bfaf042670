import { type KeyboardEvent, type RefObject, useId, useState } from "react";

import type { Editor, LessonNotes } from "../../shared/notes/lessonNotes";
import { toggleMoment } from "../../shared/notes/moments";
import { mediaOfPage, secondOfVideo } from "../../shared/notes/video";
import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { ask, mayAsk } from "./ask";
import { MAX_LENGTH } from "./limits";
import { useVideoTime } from "./useVideoTime";

/** "off" in local storage: the video plays on while someone types. */
const PAUSE_SETTING = "study.pauseWhileTyping";

function readPause(): boolean {
  try {
    return localStorage.getItem(PAUSE_SETTING) !== "off";
  } catch {
    return true;
  }
}

type Props = {
  store: LessonNotes;
  lesson: string;
  hasVideo: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
  /** The uid of the note that is being written here; null: none. */
  onDraft: (uid: string | null) => void;
};
type Draft = { editor: Editor; second: number | null };

/** The form of a new note. It is a note from its first letter on; "Add" begins the next one. */
export function Composer({ store, lesson, hasVideo, field, onDraft }: Props) {
  const now = useVideoTime(hasVideo);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [text, setText] = useState("");
  const [pauses, setPauses] = useState(readPause);
  const id = useId();
  const second = draft ? draft.second : hasVideo ? now : null;

  const type = (written: string): void => {
    setText(written);
    // Opened by its first letter: the note belongs to the second at which it was begun.
    const open = draft ?? { editor: store.begin(), second: hasVideo ? secondOfVideo() : null };
    if (!draft && written.trim() === "") return;
    if (!draft) {
      setDraft(open);
      onDraft(open.editor.uid);
      if (pauses && hasVideo) mediaOfPage()?.pause();
    }
    store.write(open.editor, "note", open.second, written);
  };
  const finish = (): void => {
    if (draft && text.trim() === "") store.remove(draft.editor.uid);
    store.sendSoon(0);
    setDraft(null);
    onDraft(null);
    setText("");
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      finish();
    }
  };
  const choosePause = (on: boolean): void => {
    setPauses(on);
    try {
      localStorage.setItem(PAUSE_SETTING, on ? "on" : "off");
    } catch {
      // Storage is blocked: the choice holds for this page.
    }
  };
  const label = second === null ? t("New note") : t("Note at {time}", { time: clock(second) });

  return (
    <form
      className="line__new"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        finish();
      }}
    >
      <div className="row row--between small">
        <label className="medium" htmlFor={id}>
          {label}
        </label>
        <span className="row row--tight">
          {hasVideo && (
            <button
              className="btn btn--quiet btn--sm"
              type="button"
              onClick={() => toggleMoment(lesson)}
            >
              <Icon name="bookmark" />
              {t("Mark moment")}
            </button>
          )}
          {mayAsk() && (
            <button className="btn btn--quiet btn--sm" type="button" onClick={() => ask(second)}>
              <Icon name="message-circle-question-mark" />
              {t("Ask")}
            </button>
          )}
        </span>
      </div>
      <textarea
        className="textarea mt-2"
        id={id}
        ref={field}
        rows={3}
        maxLength={MAX_LENGTH}
        value={text}
        placeholder={
          hasVideo && pauses
            ? t("Write a note. The video pauses while you type.")
            : t("Write a note.")
        }
        onChange={({ target }) => type(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="row row--between mt-2 small">
        {hasVideo ? (
          <label className="row row--tight">
            <input
              className="switch"
              type="checkbox"
              role="switch"
              checked={pauses}
              onChange={({ target }) => choosePause(target.checked)}
            />
            <span>{t("Pause while typing")}</span>
          </label>
        ) : (
          <span className="faint">{t("Saved as you type, even offline")}</span>
        )}
        <button className="btn btn--sm btn--primary" type="submit" disabled={text.trim() === ""}>
          {t("Add note")}
        </button>
      </div>
    </form>
  );
}

import { useEffect, useRef, useState, type MouseEvent } from "react";

import type { LessonNotes } from "../../shared/notes/lessonNotes";
import { clock } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import { Editing } from "./Editing";
import type { Item } from "./items";

const marks: Partial<Record<Item["kind"], { icon: IconName; look: string }>> = {
  note: { icon: "pencil", look: "line__m--note" },
  moment: { icon: "bookmark", look: "line__m--mark" },
  question: { icon: "message-circle-question-mark", look: "line__m--q" },
};

type Props = { item: Item; isNow: boolean; store: LessonNotes | null };

/** One line of the timeline. Its time plays the video from there: the player listens to `data-seek`. */
export function Row({ item, isNow, store }: Props) {
  if (item.kind === "chapter")
    return (
      <li className={isNow ? "is-now" : undefined}>
        <Time second={item.second} />
        <span />
        <h3 className="line__ch">{item.text}</h3>
      </li>
    );
  const mark = marks[item.kind];
  return (
    <li className={isNow ? "is-now" : undefined} aria-current={isNow ? "true" : undefined}>
      <Time second={item.second} />
      <span className={`line__m ${mark?.look ?? "line__m--dot"}`} aria-hidden="true">
        {mark && <Icon name={mark.icon} />}
      </span>
      <Body item={item} store={store} />
    </li>
  );
}

function Time({ second }: { second: number | null }) {
  if (second === null) return <span />;
  return (
    <button
      className="line__t"
      type="button"
      data-seek={second}
      aria-label={t("Play from {time}", { time: clock(second) })}
    >
      {clock(second)}
    </button>
  );
}

function Body({ item, store }: Omit<Props, "isNow">) {
  switch (item.kind) {
    case "transcript":
      return <p className="line__p">{item.text}</p>;
    case "question":
      return (
        <a className="line__ask" href={item.url}>
          <span className="medium">{item.text}</span>
          <span className="small faint">
            {item.replies > 0
              ? tn("{count} reply", "{count} replies", item.replies)
              : t("No replies yet")}
          </span>
        </a>
      );
    case "note":
    case "moment":
      return store ? <NoteBody item={item} store={store} /> : null;
    case "chapter":
      return null;
  }
}

type NoteItem = Extract<Item, { kind: "note" | "moment" }>;

/** A note or a moment with what can be done with it. */
function NoteBody({ item, store }: { item: NoteItem; store: LessonNotes }) {
  const [isEditing, setIsEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !isEditing) edit.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const { note, text } = item;
  const isNote = note.kind === "note";
  if (isEditing)
    return <Editing store={store} note={note} text={text} onDone={() => setIsEditing(false)} />;

  const remove = (event: MouseEvent): void => {
    const row = event.currentTarget.closest("li");
    // The row goes away: without this the focus falls to the page, on phones behind the sheet.
    (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector("button")?.focus();
    const undo = store.remove(note.uid);
    toast(isNote ? t("Note deleted") : t("Moment removed"), {
      action: { label: t("Undo"), onPress: undo },
      icon: "trash-2",
    });
  };
  const isRendered = note.html !== "" && note.rendered === text;
  return (
    <div className={isNote ? "line__note" : "line__moment"}>
      {!isNote && <p className="medium">{text || t("Marked moment")}</p>}
      {isNote && isRendered && (
        // Sanitized by the server (kit/text/markdown.py).
        <div className="line__text" dangerouslySetInnerHTML={{ __html: note.html }} />
      )}
      {isNote && !isRendered && <p className="line__text line__text--plain">{text}</p>}
      {note.error && <p className="line__refused small">{note.error.message}</p>}
      <p className="line__acts">
        <button ref={edit} type="button" onClick={() => setIsEditing(true)}>
          {isNote ? t("Edit") : t("Name it")}
        </button>
        <button type="button" onClick={remove}>
          {isNote ? t("Delete") : t("Remove")}
        </button>
      </p>
    </div>
  );
}

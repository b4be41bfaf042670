import { useEffect, useRef, useState } from "react";

import type { LessonNotes, Note } from "../../shared/notes/lessonNotes";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { MAX_LABEL, MAX_LENGTH } from "./limits";

type Props = { store: LessonNotes; note: Note; text: string; onDone: () => void };

/** Edits a note in its place. It is saved as it is typed; emptied, it is deleted when it is closed. */
export function Editing({ store, note, text, onDone }: Props) {
  const [editor] = useState(() => store.edit(note.uid));
  const [value, setValue] = useState(text);
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const isNote = note.kind === "note";

  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [text.length]);

  const type = (written: string): void => {
    setValue(written);
    store.write(editor, note.kind, note.second, written);
  };
  const close = (): void => {
    if (isNote && value.trim() === "") {
      store.remove(note.uid);
      const onPress = (): void => {
        store.write(store.edit(note.uid), note.kind, note.second, text);
        store.sendSoon(0);
      };
      toast(t("Note deleted"), { action: { label: t("Undo"), onPress }, icon: "trash-2" });
    } else store.sendSoon(0);
    onDone();
  };
  const shared = {
    ref: field,
    value,
    "aria-label": isNote ? t("Note") : t("Name of the moment"),
    onChange: ({ target }: { target: { value: string } }) => type(target.value),
    onKeyDown: (event: React.KeyboardEvent) => {
      const isEnd = event.key === "Enter" && (!isNote || event.ctrlKey || event.metaKey);
      if (event.key !== "Escape" && !isEnd) return;
      event.preventDefault();
      close();
    },
  };
  return (
    <div className="line__edit">
      {isNote ? (
        <textarea
          className="textarea"
          rows={4}
          maxLength={Math.max(MAX_LENGTH, text.length)}
          {...shared}
        />
      ) : (
        <input className="input" maxLength={MAX_LABEL} {...shared} />
      )}
      <button className="btn btn--sm" type="button" onClick={close}>
        {t("Done")}
      </button>
    </div>
  );
}

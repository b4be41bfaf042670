import { useState } from "react";

import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import { plainText } from "./merging";
import type { Answer } from "./types";

export function CopyButton({ answer }: { answer: Answer }) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(plainText(answer.text).trim());
      toast(t("Copied"));
    } catch {
      toast(t("Your browser doesn't allow copying here."), { icon: "circle-alert" });
    }
  };
  return (
    <button
      className="icon-btn icon-btn--sm"
      type="button"
      aria-label={t("Copy answer")}
      title={t("Copy answer")}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
    </button>
  );
}

/** Saves the answer as a note of the first lesson that it cites. */
export function NoteButton({ answer }: { answer: Answer }) {
  const [isSaved, setSaved] = useState(false);
  const cited = answer.citations.find(({ lesson, can_open }) => can_open && lesson);
  const lesson = cited?.lesson?.uid;
  if (!cited || !lesson) return null;
  const save = async (): Promise<void> => {
    const { notesOf } = await import("../../shared/notes/ofLesson");
    const notes = notesOf(lesson);
    const editor = notes.begin();
    const second = cited.second === null ? null : Math.floor(cited.second);
    notes.write(editor, "note", second, plainText(answer.text).trim());
    notes.sendSoon(0);
    setSaved(true);
    toast(t("Saved to your notes on {lesson}", { lesson: cited.lesson?.title ?? "" }), {
      action: {
        label: t("Undo"),
        onPress: () => {
          notes.remove(editor.uid);
          setSaved(false);
        },
      },
    });
  };
  return (
    <button
      className="icon-btn icon-btn--sm"
      type="button"
      aria-label={t("Save as note")}
      title={t("Save as note")}
      aria-disabled={isSaved || undefined}
      aria-pressed={isSaved}
      onClick={() => !isSaved && void save()}
    >
      <Icon name="notebook-pen" />
    </button>
  );
}

type PagesProps = { answers: Answer[]; shown: Answer; onChoose: (answer: Answer) => void };

export function Pages({ answers, shown, onChoose }: PagesProps) {
  const index = answers.indexOf(shown);
  const step = (by: number, label: string, icon: "chevron-left" | "chevron-right") => {
    const other = answers[index + by];
    return (
      <button
        className="icon-btn icon-btn--sm"
        type="button"
        aria-label={label}
        disabled={!other}
        onClick={() => other && onChoose(other)}
      >
        <Icon name={icon} />
      </button>
    );
  };
  return (
    <span className="answered__pages">
      {step(-1, t("Earlier answer"), "chevron-left")}
      <span role="status">
        {t("{number} of {total}", { number: index + 1, total: answers.length })}
      </span>
      {step(1, t("Later answer"), "chevron-right")}
    </span>
  );
}

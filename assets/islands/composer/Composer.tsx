import { useCallback, useEffect, useId, useState } from "react";
import { createPortal } from "react-dom";

import { announce } from "../../shared/announce";
import { timeOfDay } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { registerShortcuts } from "../../shared/shortcuts";
import { Icon } from "../../shared/ui/Icon";
import type { Transfers } from "../../shared/uploads/transfers";
import { apply, editOf, selectionOf, type Tool, tools } from "./editing";
import { commandOf, shortcutsOf } from "./keys";
import { lengthOf } from "./length";
import type { Place } from "./place";
import { Preview } from "./Preview";
import { Toolbar } from "./Toolbar";
import { UploadList } from "./UploadList";
import { useAttachments } from "./useAttachments";
import { useCompletion } from "./useCompletion";
import { useDraft } from "./useDraft";
import { useField } from "./useField";

export type ComposerProps = {
  place: Place;
  /** The key of the draft on the server: "topic-42". */
  draft: string;
  /** Code points. */
  most: number;
  /** Bytes per file. */
  limit: number;
  /** The topic whose people are offered first. */
  topic: number | null;
  transfers: Transfers;
  /** A button of the toolbar that was pressed before the island was loaded. */
  pressed?: string | undefined;
};

type View = "write" | "preview" | "both";
const VIEW = "study.composer.view";
/** From this share of the limit the reader hears how much is left. */
const NEAR = 0.9;

function storedView(): View {
  try {
    return localStorage.getItem(VIEW) === "both" ? "both" : "write";
  } catch {
    return "write";
  }
}

const hour = (at: number): string => timeOfDay(at);

/** Adds to the textarea of the page: a toolbar, a preview, files, drafts, completion, a counter, and keys. */
export function Composer({
  place,
  draft: key,
  most,
  limit,
  topic,
  transfers,
  pressed,
}: ComposerProps) {
  const { field, form } = place;
  const source = useField(field);
  const [view, setView] = useState<View>(storedView);
  const listId = useId();
  const attachments = useAttachments(field, transfers, limit);
  const completion = useCompletion(field, listId, topic);
  const draft = useDraft(place, key);
  const length = lengthOf(source);
  const over = length - most;
  const { take } = attachments;

  const onTool = useCallback(
    (tool: Tool) => apply(field, editOf(tool, selectionOf(field))),
    [field],
  );
  const choose = (next: View): void => {
    setView(next);
    try {
      localStorage.setItem(VIEW, next);
    } catch {
      // Storage is blocked: the choice holds for this page.
    }
  };

  useEffect(() => registerShortcuts(shortcutsOf()), []);
  useEffect(() => {
    const tool = tools.find((one) => one === pressed);
    if (tool) onTool(tool);
  }, [onTool, pressed]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const command = commandOf(event);
      if (!command) return;
      event.preventDefault();
      if (command === "post") form?.requestSubmit();
      else onTool(command);
    };
    const onPaste = (event: ClipboardEvent): void => {
      const data = event.clipboardData;
      const files = [...(data?.files ?? [])];
      const text = data?.getData("text/plain") ?? "";
      // Office programs also put a picture of the copied text there.
      if (files.length > 0 && text === "") {
        event.preventDefault();
        take(files);
        return;
      }
      const { selectionStart: start, selectionEnd: end } = field;
      if (start === end || !/^https?:\/\/\S+$/.test(text.trim())) return;
      const words = field.value.slice(start, end);
      if (/^https?:\/\//.test(words) || words.includes("\n")) return;
      event.preventDefault();
      const insert = `[${words}](${text.trim()})`;
      const last = start + insert.length;
      apply(field, { from: start, to: end, insert, start: last, end: last });
    };
    const hasFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes("Files") ?? false;
    const onDrag = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      take([...(event.dataTransfer?.files ?? [])]);
    };
    field.addEventListener("keydown", onKey);
    field.addEventListener("paste", onPaste);
    field.addEventListener("dragover", onDrag);
    field.addEventListener("drop", onDrop);
    return () => {
      field.removeEventListener("keydown", onKey);
      field.removeEventListener("paste", onPaste);
      field.removeEventListener("dragover", onDrag);
      field.removeEventListener("drop", onDrop);
    };
  }, [field, form, onTool, take]);

  const isUploading = attachments.all.some(({ state }) => state !== "refused" && state !== "sent");
  useEffect(() => {
    const onSubmit = (event: SubmitEvent): void => {
      let reason = "";
      if (over > 0) reason = overMessage(over);
      else if (isUploading) reason = t("Wait until the files are uploaded, or remove them.");
      if (reason === "") return;
      event.preventDefault();
      announce(reason, "assertive");
      field.focus();
    };
    form?.addEventListener("submit", onSubmit);
    return () => form?.removeEventListener("submit", onSubmit);
  }, [field, form, isUploading, over]);

  // The server's own verdict stays until the text changes.
  const isOver = over > 0;
  useEffect(() => {
    if (!isOver) return undefined;
    field.setAttribute("aria-invalid", "true");
    announce(t("The text is longer than {most} characters.", { most: number(most) }), "assertive");
    return () => field.removeAttribute("aria-invalid");
  }, [field, isOver, most]);
  const isNear = !isOver && length >= most * NEAR;
  useEffect(() => {
    if (isNear)
      announce(t("The text is close to its limit of {most} characters.", { most: number(most) }));
  }, [isNear, most]);

  const isPreviewed = view !== "write";
  useEffect(() => {
    place.preview.hidden = !isPreviewed;
    field.hidden = view === "preview";
    place.preview.parentElement?.classList.toggle("composer__two--both", view === "both");
  }, [field, isPreviewed, place, view]);

  const views: [View, string][] = [
    ["write", t("Write")],
    ["preview", t("Preview")],
    ["both", t("Both")],
  ];
  return (
    <>
      <Toolbar controls={field.id} isDisabled={view === "preview"} onTool={onTool} onFiles={take} />
      {createPortal(
        <div className="seg" role="group" aria-label={t("View")}>
          {views.map(([one, label]) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => choose(one)}>
              {label}
            </button>
          ))}
        </div>,
        place.views,
      )}
      {createPortal(isPreviewed ? <Preview source={source} /> : null, place.preview)}
      {createPortal(
        completion.options.length > 0 ? (
          <div
            className="composer__options"
            id={listId}
            role="listbox"
            aria-label={completion.label}
          >
            {completion.options.map(({ id, title, hint }, index) => (
              // The keys are those of the textarea, which keeps the focus.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events
              <div
                key={id}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === completion.active}
                tabIndex={-1}
                onPointerDown={(event) => event.preventDefault()}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => completion.choose(index)}
              >
                <span className="medium clip">{title}</span>{" "}
                <span className="small faint clip">{hint}</span>
              </div>
            ))}
          </div>
        ) : null,
        place.list,
      )}
      {createPortal(
        <span className={isOver ? "composer__over" : undefined}>
          {t("{count} of {most}", { count: number(length), most: number(most) })}
        </span>,
        place.count,
      )}
      {createPortal(
        <>
          {isOver && (
            <p className="field__error">
              <Icon name="circle-alert" />
              <span>{overMessage(over)}</span>
            </p>
          )}
          {draft.other && (
            <p className="row row--tight small">
              <span>{t("There is a draft from {time}.", { time: hour(draft.other.at) })}</span>
              <button type="button" className="btn btn--quiet btn--sm" onClick={draft.restore}>
                {t("Use the draft")}
              </button>
            </p>
          )}
          {draft.keptAt !== null && (
            <p className="row row--tight small faint">
              <span>
                {draft.isRestored
                  ? t("Draft of {time} restored", { time: hour(draft.keptAt) })
                  : t("Draft saved {time}", { time: hour(draft.keptAt) })}
              </span>
              <button type="button" className="btn btn--quiet btn--sm" onClick={draft.discard}>
                {t("Discard")}
              </button>
            </p>
          )}
        </>,
        place.status,
      )}
      {createPortal(
        <UploadList all={attachments.all} cancel={attachments.cancel} />,
        place.uploads,
      )}
    </>
  );
}

const number = (value: number): string =>
  value.toLocaleString(document.documentElement.lang || "en");

function overMessage(over: number): string {
  return tn(
    "{count} character over the limit. Move part of it to a reply, or attach it.",
    "{count} characters over the limit. Move part of it to a reply, or attach it.",
    over,
  );
}

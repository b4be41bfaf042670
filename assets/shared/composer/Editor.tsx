import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

import { announce } from "../announce";
import { editOf, labelOf, type Tool, tools } from "../editor/editing";
import type { Surface } from "../editor/surface";
import { t, tn } from "../i18n";
import { registerShortcuts } from "../shortcuts";
import { toast } from "../toasts";
import { Icon } from "../ui/Icon";
import { onDemand } from "../ui/onDemand";
import type { Transfers } from "../uploads/transfers";
import { whenIdle } from "../whenIdle";
import { triggerAt, type TriggerKind } from "./completion";
import { commandOf, shortcutsOf } from "./keys";
import { lengthOf } from "./length";
import { pasteConverted, readClipboard } from "./paste";
import type { Place } from "./place";
import { Preview } from "./Preview";
import type { WritingPlace } from "./stores";
import { Toolbar } from "./Toolbar";
import { useAttachments } from "./useAttachments";
import { useField } from "./useField";

export type EditorProps = {
  place: Place;
  surface: Surface;
  writing: WritingPlace;
  /** What keeps drafts (DraftNotice.tsx); nothing where the page saves by itself. */
  drafts?: ReactNode;
  /** Code points; null: no limit of its own. */
  most: number | null;
  /** Bytes per file. */
  limit: number;
  /** The topic whose people are offered first. */
  topic: number | null;
  transfers: Transfers;
  /** A button of the toolbar that was pressed before the island was loaded. */
  pressed?: string | undefined;
  /** A text of one or a few lines, beside its page's preview: less tools, no preview of its own. */
  isLine?: boolean;
};

const UploadList = onDemand(() => import("./UploadList").then((found) => found.UploadList));
const Suggestions = onDemand(() => import("./Suggestions").then((found) => found.Suggestions));

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

/** Adds to the textarea of the page: a toolbar, a preview, files, suggestions, a counter, and keys. */
export function Editor({
  place,
  surface,
  writing,
  drafts,
  most,
  limit,
  topic,
  transfers,
  pressed,
  isLine = false,
}: EditorProps) {
  const { field, form } = place;
  const source = useField(field);
  const [view, setView] = useState<View>(() => (isLine ? "write" : storedView()));
  const chooser = useRef<HTMLInputElement>(null);
  const attachments = useAttachments(surface, transfers, limit, writing.store);
  const onFiles = useCallback(() => chooser.current?.click(), []);
  const { triggers, convert } = writing;
  const completing = useCompleting(field, surface, triggers);
  const length = lengthOf(source);
  const over = most === null ? 0 : length - most;
  const { take, upload } = attachments;

  const onTool = useCallback(
    (tool: Tool) => surface.apply(editOf(tool, surface.read())),
    [surface],
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
      event.stopImmediatePropagation();
      if (command === "post") form?.requestSubmit();
      else onTool(command);
    };
    const pasteHtml = async (html: string, text: string, rtf: string): Promise<void> => {
      if (!convert) return;
      try {
        const pasted = await pasteConverted(surface, text, async () => {
          const { takePictures, unpackPictures } = await import("./pastedPictures");
          const taken = takePictures(html, rtf);
          return unpackPictures(await convert(taken.html), taken.pictures);
        });
        if (!pasted) return;
        // From the end, so that earlier places stay what they are.
        for (const { at, file, alt } of [...pasted.places].reverse()) {
          const label = t("Uploading {name}", { name: labelOf(alt || file.name) });
          upload(file, surface.hold(label, pasted.from + at), { alt });
        }
        if (pasted.missing > 0)
          toast(
            tn(
              "{count} picture wasn't copied by the other program. Copy it by itself and paste it here.",
              "{count} pictures weren't copied by the other program. Copy them one by one and paste them here.",
              pasted.missing,
            ),
          );
      } catch {
        toast(t("Only the text was pasted: its formatting could not be read now."));
      }
    };
    const onPaste = (event: ClipboardEvent): void => {
      const { text, start, end } = surface.read();
      if (surface.live?.isInSource()) return; // code and formulas stay as they were copied
      const pasted = readClipboard(event.clipboardData, text.slice(start, end));
      if (pasted.kind === "text" || (pasted.kind === "html" && !convert)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (pasted.kind === "files") take(pasted.files);
      else if (pasted.kind === "html") void pasteHtml(pasted.html, pasted.text, pasted.rtf);
      else {
        const last = start + pasted.insert.length;
        surface.apply({ from: start, to: end, insert: pasted.insert, start: last, end: last });
      }
    };
    const hasFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes("Files") ?? false;
    const onDrag = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      take([...(event.dataTransfer?.files ?? [])]);
    };
    const { element } = surface;
    const capture = { capture: true };
    element.addEventListener("keydown", onKey, capture);
    element.addEventListener("paste", onPaste, capture);
    element.addEventListener("dragover", onDrag, capture);
    element.addEventListener("drop", onDrop, capture);
    return () => {
      element.removeEventListener("keydown", onKey, capture);
      element.removeEventListener("paste", onPaste, capture);
      element.removeEventListener("dragover", onDrag, capture);
      element.removeEventListener("drop", onDrop, capture);
    };
  }, [convert, form, onTool, surface, take, upload]);

  const isUploading = attachments.all.some(({ state }) => state !== "refused" && state !== "sent");
  useEffect(() => {
    const onSubmit = (event: SubmitEvent): void => {
      let reason = "";
      if (over > 0) reason = overMessage(over);
      else if (isUploading) reason = t("Wait until the files are uploaded, or remove them.");
      if (reason === "") return;
      event.preventDefault();
      announce(reason, "assertive");
      surface.focus();
    };
    form?.addEventListener("submit", onSubmit);
    return () => form?.removeEventListener("submit", onSubmit);
  }, [form, isUploading, over, surface]);

  // The server's own verdict stays until the text changes.
  const isOver = over > 0;
  useEffect(() => {
    if (!isOver || most === null) return undefined;
    field.setAttribute("aria-invalid", "true");
    announce(t("The text is longer than {most} characters.", { most: number(most) }), "assertive");
    return () => field.removeAttribute("aria-invalid");
  }, [field, isOver, most]);
  const isNear = !isOver && most !== null && length >= most * NEAR;
  useEffect(() => {
    if (isNear)
      announce(t("The text is close to its limit of {most} characters.", { most: number(most) }));
  }, [isNear, most]);

  const isPreviewed = view !== "write";
  useEffect(() => {
    place.preview.hidden = !isPreviewed;
    surface.setHidden(view === "preview");
    place.preview.parentElement?.classList.toggle("composer__two--both", view === "both");
  }, [isPreviewed, place, surface, view]);

  const views: [View, string][] = [
    ["write", t("Write")],
    ["preview", t("Preview")],
    ["both", t("Both")],
  ];
  return (
    <>
      <Toolbar
        controls={surface.element.id}
        isDisabled={view === "preview"}
        onTool={onTool}
        onFiles={onFiles}
        live={surface.live}
        isLine={isLine}
      />
      <input
        ref={chooser}
        className="vh"
        type="file"
        multiple
        tabIndex={-1}
        aria-label={t("Choose images or files")}
        onChange={({ target }) => {
          take([...(target.files ?? [])], true);
          target.value = "";
        }}
      />
      {createPortal(
        isLine ? null : (
          <div className="seg" role="group" aria-label={t("View")}>
            {views.map(([one, label]) => (
              <button
                key={one}
                type="button"
                aria-pressed={view === one}
                onClick={() => choose(one)}
              >
                {label}
              </button>
            ))}
          </div>
        ),
        place.views,
      )}
      {createPortal(
        isPreviewed ? <Preview source={source} preview={writing.preview} /> : null,
        place.preview,
      )}
      {completing.isWanted && (
        <Suggestions
          field={field}
          surface={surface}
          list={place.list}
          triggers={triggers}
          topic={topic}
          isPhrasing={writing.isPhrasing}
          onFiles={onFiles}
          onFailed={completing.onFailed}
        />
      )}
      {createPortal(
        most === null || (isLine && !isNear && !isOver) ? null : (
          <span className={isOver ? "composer__over" : undefined}>
            {t("{count} of {most}", { count: number(length), most: number(most) })}
          </span>
        ),
        place.count,
      )}
      {createPortal(
        isOver ? (
          <p className="field__error">
            <Icon name="circle-alert" />
            <span>{overMessage(over)}</span>
          </p>
        ) : null,
        place.status,
      )}
      {drafts}
      {createPortal(
        attachments.all.length > 0 ? (
          <UploadList all={attachments.all} cancel={attachments.cancel} />
        ) : null,
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

/** Whether suggestions are wanted: from the first sign that asks for them. Until then their code is not needed. */
function useCompleting(
  field: HTMLTextAreaElement,
  surface: Surface,
  triggers: readonly TriggerKind[],
): { isWanted: boolean; onFailed: () => void } {
  const [isWanted, setWanted] = useState(false);
  const hasSaid = useRef(false);
  useEffect(() => whenIdle(() => void Promise.all([Suggestions.fetch(), UploadList.fetch()])), []);
  useEffect(() => {
    if (isWanted) return undefined;
    const check = (): void => {
      const { text, start, end } = surface.read();
      const trigger = start === end ? triggerAt(text, start) : null;
      if (trigger && triggers.includes(trigger.kind)) setWanted(true);
    };
    field.addEventListener("input", check);
    return () => field.removeEventListener("input", check);
  }, [field, isWanted, surface, triggers]);
  const onFailed = useCallback(() => {
    setWanted(false); // the next sign tries again
    if (!hasSaid.current)
      toast(t("The suggestions could not be loaded. Check your connection, then try again."));
    hasSaid.current = true;
  }, []);
  return { isWanted, onFailed };
}

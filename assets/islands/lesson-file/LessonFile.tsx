import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import { announce } from "../../shared/announce";
import { type ApiError, makeError } from "../../shared/api/errors";
import { bytes } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { ProgressBar } from "../../shared/ui/ProgressBar";
import { refreshLessonRow } from "../../shared/lecturesPage";
import { FileButton } from "../../shared/uploads/FileButton";
import { RemoveDialog } from "../../shared/uploads/RemoveDialog";
import { RetryNote } from "../../shared/uploads/RetryNote";
import type { Transfer, Transfers } from "../../shared/uploads/transfers";
import type { Transport } from "../../shared/uploads/transport";
import { useGuardedLeaving } from "../../shared/uploads/useGuardedLeaving";
import { messageOfTransfer } from "../../shared/uploads/messages";
import { type FileLesson, setLessonFile } from "./api";

export type LessonFileProps = {
  lesson: FileLesson;
  limits: { file: number; fileLabel: string; videoLabel: string };
  hint: string;
  /** The page on which the user chooses one of their files. */
  choice: string;
  transfers: Transfers;
  transport: Transport;
};

/** The error with which the server would reject this file, or null. */
function refusalOf(file: File, limits: LessonFileProps["limits"]): ApiError | null {
  if (file.size === 0) return makeError("FILE_EMPTY");
  if (file.size <= limits.file) return null;
  const { fileLabel, videoLabel } = limits;
  return makeError("UPLOAD_FILE_TOO_LARGE", {
    limit: fileLabel,
    file_limit: fileLabel,
    video_limit: videoLabel,
  });
}

/** ".../uploads/<uid>/" → the uid. */
const uidOf = (url: string): string => url.split("/").filter(Boolean).at(-1) ?? "";

export function LessonFile({
  lesson,
  limits,
  hint,
  choice,
  transfers,
  transport,
}: LessonFileProps) {
  const transfer = useSyncExternalStore(transfers.subscribe, () => transfers.all).at(-1) ?? null;
  const [file, setFile] = useState(lesson.file);
  const [isAsking, setAsking] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const saving = useMutation<FileLesson, ApiError, string | null>({
    mutationFn: (upload) => setLessonFile(lesson.uid, upload),
    onSuccess: (answer) => {
      setFile(answer.file);
      // The row is updated by the next page at the latest.
      void refreshLessonRow(lesson.uid).catch(() => undefined);
      announce(
        answer.file
          ? t("“{name}” is ready to download.", { name: answer.file.filename })
          : t("The file was removed."),
      );
    },
    onError: (error) => setRefusal(error),
  });
  useGuardedLeaving(transfers);
  useSent(transfer, async (sent) => {
    const url = sent.url ?? "";
    try {
      await saving.mutateAsync(uidOf(url));
    } catch {
      // No lesson uses the upload, so free its storage. If that fails, too, it expires.
      await transport.remove(url).catch(() => undefined);
    }
    transfers.forget(sent.id);
  });

  const take = async (chosen: File): Promise<void> => {
    const found = refusalOf(chosen, limits);
    setRefusal(found);
    if (found) return;
    for (const { id } of transfers.all) transfers.forget(id);
    const url = await transport.findPrevious(chosen).catch(() => null);
    transfers.add(chosen, { target: lesson.uid, url });
  };
  const isRefused = transfer?.state === "refused";
  const isUploading = transfer !== null && !isRefused;
  const problem = refusal ?? (isRefused ? transfer.error : null);

  return (
    <div className="stack gap-4">
      {file ? (
        <div className="upload">
          <span className="faint">
            <Icon name="download" className="i--lg" />
          </span>
          <div className="grow">
            <p className="strong clip">{file.filename}</p>
            <p className="small faint num">{bytes(file.length)}</p>
          </div>
          {!isUploading && (
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              aria-label={t("Remove {name}", { name: file.filename })}
              onClick={() => setAsking(true)}
            >
              <Icon name="trash-2" />
            </button>
          )}
        </div>
      ) : (
        !isUploading && <p className="muted">{t("This lesson doesn't have a file yet.")}</p>
      )}
      {isUploading && <UploadRow transfer={transfer} transfers={transfers} />}
      {problem && (
        <p className="field__error" role="alert">
          {problem.message}
        </p>
      )}
      {!isUploading && (
        <div className="stack gap-2">
          <div className="row">
            <FileButton
              label={file ? t("Replace file") : t("Choose a file")}
              about={file ? t("Replace file") : t("Choose a file")}
              icon="upload"
              isFirst={file === null}
              onFile={(chosen) => void take(chosen)}
            />
            <a className="btn btn--sm" href={choice}>
              {t("Choose from your files")}
            </a>
          </div>
          <p className="small faint">{hint}</p>
        </div>
      )}
      {isAsking && file && (
        <RemoveDialog
          title={t("Remove this file?")}
          text={t(
            "“{name}” will be permanently deleted, unless it's in your files or another lesson uses it.",
            {
              name: file.filename,
            },
          )}
          yes={t("Remove")}
          onYes={() => {
            setRefusal(null);
            saving.mutate(null);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

type UploadRowProps = { transfer: Transfer; transfers: Transfers };

function UploadRow({ transfer, transfers }: UploadRowProps) {
  const { id, state } = transfer;
  const { name, size } = transfer.file;
  const message = messageOfTransfer(transfer);
  return (
    <div className="upload">
      <span className="faint">
        <Icon name="upload" className="i--lg" />
      </span>
      <div className="grow">
        <p className="strong clip">{name}</p>
        <p className="small faint num">
          {state === "sent" ? t("Checking the file") : message.main}
          {state === "sending" && message.aside !== "" && `, ${message.aside}`}
        </p>
        {state === "interrupted" && (
          <p className="small">
            <RetryNote transfer={transfer} transfers={transfers} />
          </p>
        )}
      </div>
      <span className="row row--tight">
        {(state === "sending" || state === "waiting") && (
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Pause upload of {name}", { name })}
            onClick={() => transfers.pause(id)}
          >
            <Icon name="pause" />
          </button>
        )}
        {(state === "paused" || state === "interrupted") && (
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Resume upload of {name}", { name })}
            onClick={() => transfers.resume(id)}
          >
            <Icon name="play" />
          </button>
        )}
        {state !== "sent" && (
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Cancel upload of {name}", { name })}
            onClick={() => void transfers.cancel(id)}
          >
            <Icon name="x" />
          </button>
        )}
      </span>
      <ProgressBar
        label={t("Upload of {name}", { name })}
        percent={size > 0 ? (100 * transfer.sent) / size : 0}
        isThin
      />
    </div>
  );
}

/** Calls `take` once for each transfer that is complete. */
function useSent(transfer: Transfer | null, take: (sent: Transfer) => Promise<void>): void {
  const taken = useRef(0);
  useEffect(() => {
    if (transfer?.state !== "sent" || taken.current === transfer.id) return;
    taken.current = transfer.id;
    void take(transfer);
  });
}

import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import { announce } from "../../shared/announce";
import { makeError } from "../../shared/api/errors";
import { bytes } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { ProgressBar } from "../../shared/ui/ProgressBar";
import { messageOfTransfer } from "../../shared/uploads/messages";
import { droppedFiles } from "../../shared/uploads/paths";
import { RetryNote } from "../../shared/uploads/RetryNote";
import type { Transfer, Transfers } from "../../shared/uploads/transfers";
import type { Transport } from "../../shared/uploads/transport";
import { useGuardedLeaving } from "../../shared/uploads/useGuardedLeaving";

type Props = {
  transfers: Transfers;
  transport: Transport;
  target: string;
  limit: number;
  /** Shows the new files; tests pass their own. */
  showFiles?: () => void;
};

/** Buttons and a drop area for files and folders, and the uploads that are not finished. */
export function FileUploads({
  transfers,
  transport,
  target,
  limit,
  showFiles = () => location.reload(),
}: Props) {
  const all = useSyncExternalStore(transfers.subscribe, () => transfers.all);
  const [isOver, setOver] = useState(false);
  useGuardedLeaving(transfers);

  const take = async (files: File[]): Promise<void> => {
    for (const file of files) {
      const refusal =
        file.size > limit ? makeError("UPLOAD_FILE_TOO_LARGE", { limit: bytes(limit) }) : null;
      const url = refusal ? null : await transport.findPrevious(file).catch(() => null);
      transfers.add(file, { target, url, refusal });
    }
  };
  useDrops((files) => void take(files), setOver);

  // Show the new files once nothing is left to do here.
  const isDone = all.length > 0 && all.every(({ state }) => state === "sent");
  const shown = useRef(false);
  useEffect(() => {
    if (!isDone || shown.current) return;
    shown.current = true;
    announce(tn("{count} file was uploaded.", "{count} files were uploaded.", all.length));
    showFiles();
  }, [isDone, all.length, showFiles]);

  const waiting = all.filter(({ state }) => state !== "sent");
  return (
    <div className={isOver ? "files__drop is-over" : "files__drop"}>
      <div className="row">
        <FileInput
          label={t("Upload files")}
          icon="upload"
          isFirst
          onFiles={(files) => void take(files)}
        />
        <FileInput
          label={t("Upload a folder")}
          icon="folder-up"
          isFolder
          onFiles={(files) => void take(files)}
        />
        <span className="small muted">{t("Or drop files and folders on this page.")}</span>
      </div>
      {waiting.length > 0 && (
        <section aria-label={t("Uploads")}>
          <ul className="jobs">
            {waiting.slice(0, 20).map((transfer) => (
              <UploadRow key={transfer.id} transfer={transfer} transfers={transfers} />
            ))}
          </ul>
          {waiting.length > 20 && (
            <p className="small muted">
              {tn(
                "{count} more file is waiting.",
                "{count} more files are waiting.",
                waiting.length - 20,
              )}
            </p>
          )}
        </section>
      )}
    </div>
  );
}

type InputProps = {
  label: string;
  icon: "upload" | "folder-up";
  isFirst?: boolean;
  isFolder?: boolean;
  onFiles: (files: File[]) => void;
};

function FileInput({ label, icon, isFirst = false, isFolder = false, onFiles }: InputProps) {
  return (
    <label className={isFirst ? "btn btn--primary files__input" : "btn files__input"}>
      <Icon name={icon} />
      {label}
      <input
        type="file"
        multiple
        aria-label={label}
        ref={(input) => {
          if (input && isFolder) input.webkitdirectory = true;
        }}
        onChange={({ target: input }) => {
          const files = [...(input.files ?? [])];
          input.value = ""; // the same file may be chosen again
          if (files.length > 0) onFiles(files);
        }}
      />
    </label>
  );
}

function UploadRow({ transfer, transfers }: { transfer: Transfer; transfers: Transfers }) {
  const { file, id, state, sent, error } = transfer;
  const isBad = state === "refused";
  const isHeld = state === "interrupted" || state === "paused";
  const message = messageOfTransfer(transfer);
  const canPause = state === "sending" || state === "waiting";
  return (
    <li className={`job${isBad ? " job--bad" : isHeld ? " job--warn" : ""}`}>
      <div>
        <h3 className="job__name">{file.name}</h3>
        <p className="small faint num">
          {t("{sent} of {size}", { sent: bytes(sent), size: bytes(file.size) })}
        </p>
      </div>
      <div className="job__acts">
        {canPause && (
          <RowButton
            icon="pause"
            label={t("Pause {name}", { name: file.name })}
            onPress={() => transfers.pause(id)}
          />
        )}
        {isHeld && (
          <RowButton
            icon="play"
            label={t("Resume {name}", { name: file.name })}
            onPress={() => transfers.resume(id)}
          />
        )}
        <RowButton
          icon="x"
          label={t("Cancel {name}", { name: file.name })}
          onPress={() => void transfers.cancel(id).catch(() => transfers.forget(id))}
        />
      </div>
      {!isBad && (
        <div className="job__more">
          <ProgressBar
            label={t("Upload of {name}", { name: file.name })}
            percent={file.size > 0 ? (100 * sent) / file.size : 0}
          />
        </div>
      )}
      <div className="job__say" role={isBad ? "alert" : undefined}>
        <span>{isBad ? (error?.message ?? "") : message.main}</span>
        {state === "interrupted" ? (
          <RetryNote transfer={transfer} transfers={transfers} />
        ) : (
          !isBad && message.aside !== "" && <span>{message.aside}</span>
        )}
      </div>
    </li>
  );
}

type ButtonProps = { icon: "pause" | "play" | "x"; label: string; onPress: () => void };

function RowButton({ icon, label, onPress }: ButtonProps) {
  return (
    <button className="icon-btn icon-btn--sm" type="button" aria-label={label} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}

/** Take what is dropped anywhere on the page, and report whether something is dragged over it. */
function useDrops(onFiles: (files: File[]) => void, setOver: (isOver: boolean) => void): void {
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setOver(false);
      void droppedFiles(event.dataTransfer).then((files) => latest.current(files));
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, [setOver]);
}

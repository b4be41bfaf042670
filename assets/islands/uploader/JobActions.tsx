import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import type { ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import { FileButton } from "../../shared/uploads/FileButton";
import { RemoveDialog } from "../../shared/uploads/RemoveDialog";
import { deleteVideo, retryVideo, type Video } from "./api";
import type { Transfers } from "../../shared/uploads/transfers";
import type { Transport } from "../../shared/uploads/transport";
import type { Job } from "./jobs";
import type { Uploads } from "./useUploads";

export type CardProps = {
  job: Job;
  uploads: Uploads;
  transfers: Transfers;
  transport: Transport;
  links: string[];
};

/** The actions of a job, the most useful one first. */
export function JobActions({ job, uploads, transfers, transport }: CardProps) {
  const { transfer, video, name } = job;
  const [isAsking, setAsking] = useState(false);
  const options = { onSuccess: uploads.refresh };
  const retrying = useMutation<unknown, ApiError, string>({ mutationFn: retryVideo, ...options });
  const removing = useMutation<unknown, ApiError>({
    mutationFn: async () => {
      if (transfer && transfer.state !== "sent") return transfers.cancel(transfer.id);
      if (transfer) transfers.forget(transfer.id);
      if (video?.stage === "complete") return deleteVideo(video.uid);
      if (video?.upload) return transport.remove(`/api/v1/uploads/${video.upload.uid}/`);
      return video ? deleteVideo(video.uid) : undefined;
    },
    ...options,
  });
  const reopening = useMutation<unknown, Error, Video>({ mutationFn: uploads.storedFiles.reopen });
  const state = transfer && transfer.state !== "sent" ? transfer.state : null;
  const failed = retrying.error ?? removing.error;
  const isSafe = state === "refused"; // nothing on the server: it only leaves the list
  const canContinue =
    !state && video?.stage === "uploading" && job.group === "needs" && video.upload !== null;
  const isComplete = !state && video?.stage === "complete";
  const isFailed = !state && video?.stage === "failed";
  const canRemove = state !== null || isFailed || isComplete || video?.stage === "uploading";
  const question = isComplete
    ? { title: t("Delete this video?"), yes: t("Delete"), text: whatGoes(job) }
    : {
        title: isFailed ? t("Remove this video?") : t("Cancel this upload?"),
        yes: isFailed ? t("Remove") : t("Cancel upload"),
        text: t("What has been uploaded of “{name}” will be deleted.", { name }),
      };

  return (
    <div className="job__acts">
      {failed && (
        <p className="field__error" role="alert">
          {failed.message}
        </p>
      )}
      {transfer && (state === "paused" || state === "interrupted") && (
        <Button size="sm" onClick={() => transfers.resume(transfer.id)}>
          <Icon name="play" />
          {state === "interrupted" ? t("Resume upload") : t("Resume")}
        </Button>
      )}
      {transfer && (state === "sending" || state === "waiting") && (
        <button
          className="icon-btn icon-btn--sm"
          type="button"
          aria-label={t("Pause upload of {name}", { name })}
          onClick={() => transfers.pause(transfer.id)}
        >
          <Icon name="pause" />
        </button>
      )}
      {canContinue && uploads.storedFiles.obstacleOf(video) === "ask" && (
        <Button
          size="sm"
          isBusy={reopening.isPending}
          onClick={() => reopening.mutate(video)}
          aria-label={t("Resume upload of {name}", { name })}
        >
          <Icon name="play" />
          {t("Resume upload")}
        </Button>
      )}
      {canContinue && uploads.storedFiles.obstacleOf(video) !== "ask" && (
        <FileButton
          label={t("Resume upload")}
          about={t("Choose {name} again to resume its upload", { name })}
          icon="play"
          accept={uploads.accept}
          onFile={(file) => {
            const upload = video.upload;
            if (!upload) return;
            const isSame = file.name === upload.filename && file.size === upload.length;
            void uploads.take(
              [file],
              isSame ? { url: `/api/v1/uploads/${upload.uid}/`, video: video.uid } : {},
            );
          }}
        />
      )}
      {!state && video?.stage === "failed" && video.abilities.retry && (
        <Button size="sm" isBusy={retrying.isPending} onClick={() => retrying.mutate(video.uid)}>
          <Icon name="rotate-ccw" />
          {t("Try again")}
        </Button>
      )}
      {!state && video?.stage === "failed" && !video.abilities.retry && (
        <FileButton
          label={t("Replace file")}
          about={t("Choose another file to replace {name}", { name })}
          icon="refresh-cw"
          accept={uploads.accept}
          onFile={(file) => void uploads.take([file], { replaces: video.uid, video: video.uid })}
        />
      )}
      {!state && job.group === "done" && job.lesson && (
        <a className="btn btn--sm" href={job.lesson.href}>
          {t("Open lesson")}
        </a>
      )}
      {canRemove && (
        <button
          className="icon-btn icon-btn--sm"
          type="button"
          aria-label={
            isComplete
              ? t("Delete {name}", { name })
              : isSafe || isFailed
                ? t("Remove {name}", { name })
                : t("Cancel upload of {name}", { name })
          }
          onClick={() => (isSafe ? removing.mutate() : setAsking(true))}
        >
          <Icon name={isFailed || isComplete ? "trash-2" : "x"} />
        </button>
      )}
      {isAsking && (
        <RemoveDialog
          title={question.title}
          text={question.text}
          yes={question.yes}
          onYes={() => removing.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

function whatGoes({ name, lesson, isReplacing, video }: CardProps["job"]): string {
  const days = video?.bin_days ?? 0;
  const goes =
    lesson && !isReplacing
      ? t("“{name}” will be permanently deleted. Lesson {number} will no longer have a video.", {
          name,
          number: lesson.number,
        })
      : lesson === null || isReplacing
        ? t("“{name}” will be permanently deleted.", { name })
        : t(
            "“{name}” will be permanently deleted. A lesson that shows it will no longer have a video.",
            { name },
          );
  const original =
    days > 0
      ? t(
          "Its original goes to the bin for {days} days and counts toward your storage until then.",
          {
            days,
          },
        )
      : t("That frees its storage.");
  return `${goes} ${original}`;
}

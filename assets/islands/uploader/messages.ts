/** The texts of a job. */
import { bytes, clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { Job } from "./jobs";
import { messageOfTransfer, type Message } from "../../shared/uploads/messages";

/** Facts such as "For lesson 3.5 of Rivers, 2.9 GB". */
export function factsOf({ lesson, isReplacing, size, video }: Job): string {
  const parts: string[] = [];
  if (lesson && isReplacing)
    parts.push(
      t("Replaces the video of lesson {number} of {course}", {
        number: lesson.number,
        course: lesson.course_title,
      }),
    );
  else if (lesson)
    parts.push(
      t("For lesson {number} of {course}", { number: lesson.number, course: lesson.course_title }),
    );
  else if (lesson === null) parts.push(t("Not assigned to a lesson"));
  if (size > 0) parts.push(bytes(size));
  if (video && video.duration > 0) parts.push(clock(Math.round(video.duration)));
  if (video && video.height > 0) parts.push(`${Math.min(video.width, video.height)}p`);
  if (video && video.captions.length > 0)
    parts.push(
      t("captions in {languages}", {
        languages: video.captions.map((one) => one.label).join(", "),
      }),
    );
  return parts.join(", ");
}

/** The sentence below the bar and the text at its end. */
export function messageOf({ transfer, video }: Job): Message {
  if (transfer && transfer.state !== "sent") return messageOfTransfer(transfer);
  const queued = { main: t("Uploaded. Waiting in the queue."), aside: "" };
  // The list may be older than the last chunk that was sent.
  if (!video || (transfer && video.stage === "uploading")) return queued;
  switch (video.stage) {
    case "queued":
      return queued;
    case "uploading":
      return {
        main: t("The upload stopped at {percent}%. Your progress is saved.", {
          percent: video.percent,
        }),
        aside: "",
      };
    case "failed":
      return {
        main: [video.failure_label, video.failure_detail].filter((one) => one !== "").join(". "),
        aside:
          video.failure === "corrupt_file"
            ? t("It doesn't count toward your storage.")
            : t("Your upload is safe."),
      };
    case "complete":
      return {
        main: t("Complete"),
        aside: t("{size} stored", { size: bytes(video.source_bytes) }),
      };
    default: {
      const doing = video.doing === "" ? video.stage_label : video.doing;
      return {
        main: video.is_playable
          ? t("Ready to watch. Higher qualities are added automatically.")
          : doing,
        aside: "",
      };
    }
  }
}

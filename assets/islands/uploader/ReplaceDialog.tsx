import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";
import type { VideoLesson } from "./api";
import type { Job } from "./jobs";

type Props = { job: Job; lesson: VideoLesson; onYes: () => void; onClose: () => void };

/** Asks before a video takes the place of the one that a lesson shows; the focus is on keeping that. */
export function ReplaceDialog({ job, lesson, onYes, onClose }: Props) {
  return (
    <Dialog
      title={t("Replace the video of lesson {number}?", { number: lesson.number })}
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" data-autofocus onClick={onClose}>
            {t("Keep the present video")}
          </Button>
          <Button
            look="primary"
            onClick={() => {
              onClose();
              onYes();
            }}
          >
            {t("Replace the video")}
          </Button>
        </>
      }
    >
      <p>{whatHappens(job, lesson)}</p>
    </Dialog>
  );
}

/** What becomes of the present video, and when. */
export function whatHappens({ name, video }: Job, lesson: VideoLesson): string {
  const { number, title } = lesson;
  const shown = shownIn(lesson);
  if (lesson.video === null)
    return t(
      "Lesson {number}, “{title}”, shows a video of {shown}. “{name}” takes its place, and the address of the other video is removed.",
      { number, title, shown, name },
    );
  return video?.stage === "complete"
    ? t(
        "Lesson {number}, “{title}”, shows {shown}. “{name}” takes its place now. No video is deleted.",
        { number, title, shown, name },
      )
    : t(
        "Lesson {number}, “{title}”, shows {shown} until “{name}” is complete, and then that one. No video is deleted.",
        { number, title, shown, name },
      );
}

/** The video that a lesson shows, with its length where it is known: "falling-body.mp4 (9:48)". */
export function shownIn({ shows, duration }: VideoLesson): string {
  return duration > 0 ? `${shows} (${clock(duration)})` : shows;
}

import { useMutation } from "@tanstack/react-query";

import { announce } from "../../shared/announce";
import type { ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { showInLesson, type VideoLesson, withdrawFromLesson } from "./api";
import { hasVideo, type Job } from "./jobs";
import type { Transfers } from "../../shared/uploads/transfers";

/** Lets the video of a job be for a lesson, or for none. */
export function useAssignment(job: Job, transfers: Transfers, onChange: () => void) {
  const { name, transfer, video } = job;
  const present = job.lesson ?? null;
  return useMutation<unknown, ApiError, VideoLesson | null>({
    mutationFn: async (lesson) => {
      if (video) {
        if (lesson) await showInLesson(lesson, video.uid);
        if (present) await withdrawFromLesson(present, video.uid);
      }
      if (transfer) transfers.setTarget(transfer.id, lesson?.uid ?? null);
    },
    onSuccess: (_, lesson) => {
      if (!lesson) announce(t("{name} is for no lesson now", { name }));
      else if (hasVideo(lesson))
        announce(
          t("{name} replaces the video of lesson {number}", { name, number: lesson.number }),
        );
      else announce(t("{name} was added to the lesson", { name }));
    },
    // A refusal may say that the lesson shows another video by now.
    onSettled: onChange,
  });
}

import { useState } from "react";

import { t } from "../../shared/i18n";
import type { VideoLesson } from "./api";
import { hasVideo, type Job } from "./jobs";
import { ReplaceDialog, shownIn } from "./ReplaceDialog";
import { ReplaceProposal } from "./ReplaceProposal";
import { useAssignment } from "./useAssignment";
import type { Transfers } from "../../shared/uploads/transfers";

type Props = {
  job: Job;
  /** All that a video can be for. */
  lessons: VideoLesson[];
  /** The lesson whose video it could replace, by its name. */
  proposal: VideoLesson | null;
  transfers: Transfers;
  onChange: () => void;
  /** The user doesn't want it to be for this lesson. */
  onDecline: (lesson: VideoLesson) => void;
};

const NONE = "none";

/** Chooses the lesson that shows this video, or another one than its name told. A video is replaced only after a yes. */
export function LessonSelect({ job, lessons, proposal, transfers, onChange, onDecline }: Props) {
  const present = job.lesson ?? null;
  const [asked, setAsked] = useState<VideoLesson | null>(null);
  const assigning = useAssignment(job, transfers, onChange);
  const others = lessons.filter(({ uid }) => uid !== present?.uid);
  if (others.length === 0 && present === null)
    return (
      <p className="small muted">
        {t(
          "None of your courses has a video lesson that can be changed now. Edit a published course as its next version, or add a lesson to another.",
        )}
      </p>
    );
  const choose = (value: string): void => {
    const lesson = others.find(({ uid }) => uid === value);
    if (value === NONE) {
      if (present) onDecline(present);
      assigning.mutate(null);
    } else if (lesson && hasVideo(lesson)) setAsked(lesson);
    else if (lesson) assigning.mutate(lesson);
  };
  return (
    <>
      {proposal && (
        <ReplaceProposal
          job={job}
          lesson={proposal}
          isBusy={assigning.isPending}
          onYes={() => assigning.mutate(proposal)}
          onNo={() => onDecline(proposal)}
        />
      )}
      <select
        className="select uploader__lesson"
        aria-label={t("Lesson for {name}", { name: job.name })}
        value={present?.uid ?? ""}
        disabled={assigning.isPending}
        onChange={({ target }) => choose(target.value)}
      >
        {present ? (
          <>
            <option value={NONE}>{t("No lesson")}</option>
            <option value={present.uid}>{nameOf(present)}</option>
          </>
        ) : (
          <option value="">{t("Add to a lesson…")}</option>
        )}
        <Groups lessons={others.filter((lesson) => !hasVideo(lesson))} label={(course) => course} />
        <Groups
          lessons={others.filter(hasVideo)}
          label={(course) => t("Replace the video of a lesson: {course}", { course })}
        />
      </select>
      {assigning.error && (
        <p className="field__error" role="alert">
          {assigning.error.message}
        </p>
      )}
      {asked && (
        <ReplaceDialog
          job={job}
          lesson={asked}
          onYes={() => assigning.mutate(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

type GroupsProps = { lessons: VideoLesson[]; label: (course: string) => string };

/** The lessons of each course. */
function Groups({ lessons, label }: GroupsProps) {
  const courses = [...new Set(lessons.map((lesson) => lesson.course_title))];
  return courses.map((course) => (
    <optgroup key={course} label={label(course)}>
      {lessons
        .filter((lesson) => lesson.course_title === course)
        .map((lesson) => (
          <option key={lesson.uid} value={lesson.uid}>
            {hasVideo(lesson) ? replacedName(lesson) : nameOf(lesson)}
          </option>
        ))}
    </optgroup>
  ));
}

const nameOf = ({ number, title }: VideoLesson): string => `${number} ${title}`;

function replacedName(lesson: VideoLesson): string {
  const name = nameOf(lesson);
  return lesson.next_video
    ? t("{lesson}, a new video is on its way", { lesson: name })
    : t("{lesson}, shows {video}", { lesson: name, video: shownIn(lesson) });
}

/** Lessons whose video a file could replace, by its name. It does so only once the user has said yes. */
import type { Video, VideoLesson } from "./api";
import { canAssign, hasVideo, type Job } from "./jobs";
import { matchLessons } from "./matchLessons";
import { pathOf } from "../../shared/uploads/paths";

/** Names one proposal, so that a declined one doesn't come back. */
export const proposalKey = (job: Job, lesson: VideoLesson): string => `${job.key} ${lesson.uid}`;

/**
 * The lesson that each job is proposed for, by the key of the job: those without a lesson whose name tells one that has
 * a video, older than theirs.
 * @param lessons all that a video can be for
 * @param declined the keys of proposals that the user has declined
 */
export function proposalsOf(
  jobs: readonly Job[],
  lessons: readonly VideoLesson[],
  videos: readonly Video[],
  declined: ReadonlySet<string>,
): Map<string, VideoLesson> {
  const taken = new Set(jobs.map(({ lesson }) => lesson?.uid));
  const open = jobs.filter(
    (job) =>
      job.lesson === null && canAssign(job) && (job.transfer !== null || job.group !== "done"),
  );
  const named = open.map(({ name, transfer }) => ({
    name,
    path: transfer ? pathOf(transfer.file) || "" : "",
  }));
  const matched = matchLessons(
    named,
    lessons.filter(({ uid }) => !taken.has(uid)),
  );
  const created = new Map(videos.map((video) => [video.uid, Date.parse(video.created_at)]));
  const found = new Map<string, VideoLesson>();
  for (const [place, lesson] of matched) {
    const job = open[place];
    if (!job || !hasVideo(lesson) || lesson.next_video !== null) continue;
    if (declined.has(proposalKey(job, lesson))) continue;
    const isOlder =
      job.video !== null &&
      Date.parse(job.video.created_at) < (created.get(lesson.video ?? "") ?? 0);
    if (!isOlder) found.set(job.key, lesson);
  }
  return found;
}

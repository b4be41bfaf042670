/** Merges the transfers of this browser and the videos of the server into one list of jobs. Pure functions. */
import { dayNumber } from "../../shared/format";
import type { Video, VideoLesson } from "./api";
import type { Transfer } from "../../shared/uploads/transfers";

export type Group = "needs" | "way" | "done";
export type Job = {
  key: string;
  name: string;
  /** Bytes. */
  size: number;
  group: Group;
  transfer: Transfer | null;
  video: Video | null;
  /** undefined: the lessons have not been loaded. */
  lesson: VideoLesson | null | undefined;
  /** Whether the lesson shows another video, which it keeps until this one is complete. */
  isReplacing: boolean;
};

/** An upload that changed this recently is being sent from another browser. */
const ELSEWHERE_MS = 20_000;

/** Whether the lesson has a video, which another one would replace. */
export function hasVideo(lesson: VideoLesson | null | undefined): boolean {
  return lesson !== null && lesson !== undefined && lesson.shows !== "";
}

export function isMoving(video: Video, now: number): boolean {
  return now - Date.parse(video.updated_at) < ELSEWHERE_MS;
}

function isToday(date: string | null, now: number): boolean {
  return date !== null && dayNumber(date) === dayNumber(now);
}

function groupOf(transfer: Transfer | null, video: Video | null, now: number): Group | null {
  if (transfer && transfer.state !== "sent")
    return transfer.state === "refused" || transfer.state === "interrupted" ? "needs" : "way";
  if (!video) return transfer ? "way" : null;
  switch (video.stage) {
    case "failed":
      return "needs";
    case "complete":
      if (isToday(video.completed_at, now)) return "done";
      // New contents were rejected: the video is unchanged, and its owner has to know.
      return video.notice !== "" && isToday(video.updated_at, now) ? "needs" : null;
    case "uploading":
      return transfer !== null || isMoving(video, now) ? "way" : "needs";
    default:
      return "way";
  }
}

/** The jobs, newest transfers first, then videos without a transfer. */
export function jobsOf(
  transfers: readonly Transfer[],
  videos: readonly Video[],
  lessons: readonly VideoLesson[],
  now: number,
  areLessonsKnown = true,
): Job[] {
  const byUid = new Map(videos.map((video) => [video.uid, video]));
  const lessonOf = (uid: string | null | undefined, target: string | null): Job["lesson"] =>
    lessons.find((one) => uid !== null && uid !== undefined && one.video === uid) ??
    lessons.find((one) => uid !== null && uid !== undefined && one.next_video === uid) ??
    lessons.find((one) => one.uid === target) ??
    (areLessonsKnown ? null : undefined);
  const placeOf = (
    uid: string | null,
    video: Video | null,
    target: string | null,
  ): Pick<Job, "lesson" | "isReplacing"> => {
    // Once a video is complete, the lessons say where it is shown; another one may have taken its place since.
    const lesson = lessonOf(uid, video?.stage === "complete" ? null : target);
    return { lesson, isReplacing: hasVideo(lesson) && lesson?.video !== uid };
  };
  const taken = new Set<string>();
  const jobs: Job[] = [];

  for (const transfer of [...transfers].reverse()) {
    const video = byUid.get(transfer.video ?? "") ?? null;
    // A newer transfer of the same video replaces the older one.
    if (transfer.video && taken.has(transfer.video)) continue;
    if (transfer.video) taken.add(transfer.video);
    const group = groupOf(transfer, video, now);
    if (group === null) continue;
    jobs.push({
      key: `t${transfer.id}`,
      name: transfer.file.name,
      size: transfer.file.size,
      group,
      transfer,
      video,
      ...placeOf(transfer.video ?? video?.uid ?? null, video, transfer.target),
    });
  }
  for (const video of videos) {
    if (taken.has(video.uid)) continue;
    const group = groupOf(null, video, now);
    if (group === null) continue;
    const size = video.upload?.length ?? video.source_bytes;
    const place = placeOf(video.uid, video, video.upload?.target ?? null);
    jobs.push({
      key: video.uid,
      name: video.filename,
      size,
      group,
      transfer: null,
      video,
      ...place,
    });
  }
  return jobs;
}

export function isFailed({ transfer, video }: Job): boolean {
  if (transfer && transfer.state !== "sent") return transfer.state === "refused";
  return video?.stage === "failed";
}

/** Whether the user may choose its lesson now: the server has the video, or nothing of it yet. */
export function canAssign(job: Job): boolean {
  const { lesson, transfer, video } = job;
  if (lesson === undefined || isFailed(job) || !(video !== null || transfer?.url === null))
    return false;
  if (lesson === null || job.isReplacing) return true;
  return job.group !== "done" && lesson.uid === transfer?.target;
}

/** The unfinished upload that this file may resume: same name and size. */
export function openUploadFor(
  file: Pick<File, "name" | "size">,
  videos: readonly Video[],
): Video | null {
  return (
    videos.find(
      ({ stage, upload }) =>
        stage === "uploading" && upload?.filename === file.name && upload.length === file.size,
    ) ?? null
  );
}

export const STAGES = [
  "uploading",
  "queued",
  "analyzing",
  "audio",
  "finalizing",
  "complete",
] as const;

export type StageMark = { state: "done" | "now" | "held" | "bad" | "open"; percent: number };

/** The state of each stage. */
export function marksOf({ transfer, video, size }: Job): StageMark[] {
  const open: StageMark = { state: "open", percent: 0 };
  const done: StageMark = { state: "done", percent: 100 };
  const at = (index: number, mark: StageMark): StageMark[] =>
    STAGES.map((_, place) => (place < index ? done : place === index ? mark : open));

  if (transfer && transfer.state !== "sent") {
    if (transfer.state === "refused") return at(0, { state: "bad", percent: 0 });
    const percent = size > 0 ? Math.floor((100 * transfer.sent) / size) : 0;
    return at(0, { state: transfer.state === "sending" ? "now" : "held", percent });
  }
  if (!video || (transfer && video.stage === "uploading"))
    return at(1, { state: "now", percent: 0 });
  switch (video.stage) {
    case "uploading":
      return at(0, { state: "held", percent: video.percent });
    case "failed":
      return at(failedStage(video), { state: "bad", percent: 0 });
    case "complete":
      return STAGES.map(() => done);
    default:
      return at(STAGES.indexOf(video.stage), { state: "now", percent: video.percent });
  }
}

function failedStage({ failure }: Video): number {
  if (failure === "upload_failed" || failure === "quota_exceeded") return 0;
  return STAGES.indexOf(failure === "corrupt_file" ? "analyzing" : "finalizing");
}

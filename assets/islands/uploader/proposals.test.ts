import { expect, it } from "vitest";

import { jobsOf } from "./jobs";
import { proposalKey, proposalsOf } from "./proposals";
import { lessonOf, uploadOf, videoOf } from "./testing";

const NOW = Date.parse("2026-03-14T12:00:00Z");
const lesson = lessonOf({ video: "old", shows: "old.mp4" });
const named = videoOf({ uid: "new", filename: "2-04 eigenvectors.mp4", stage: "audio" });

function propose(
  videos = [named],
  lessons = [lesson],
  declined: ReadonlySet<string> = new Set(),
): (string | undefined)[] {
  const jobs = jobsOf([], videos, lessons, NOW);
  const found = proposalsOf(jobs, lessons, videos, declined);
  return jobs.map((job) => found.get(job.key)?.uid);
}

it("proposes the lesson with a video that the name tells", () => {
  expect(propose()).toEqual([lesson.uid]);
});

it.each([
  ["another new video is on its way", { next_video: "other" }],
  ["the lesson has no video", { shows: "" }],
])("proposes nothing if %s", (_, facts) => {
  expect(propose([named], [{ ...lesson, ...facts }])).toEqual([undefined]);
});

it("doesn't propose to go back to an older video", () => {
  const newer = videoOf({ uid: "old", stage: "audio", created_at: "2026-03-14T11:00:00Z" });
  expect(propose([named, newer])).toEqual([undefined, undefined]);
});

it("proposes no lesson that another file is for, nor a lesson for a failed or finished file", () => {
  const other = videoOf({
    uid: "other",
    stage: "uploading",
    upload: uploadOf({ target: lesson.uid }),
  });
  expect(propose([named, other])).toEqual([undefined, undefined]);
  expect(propose([{ ...named, stage: "failed" }])).toEqual([undefined]);
  const completed_at = new Date(NOW).toISOString();
  expect(propose([{ ...named, stage: "complete", completed_at }])).toEqual([undefined]);
});

it("doesn't repeat what was declined", () => {
  const [job] = jobsOf([], [named], [lesson], NOW);
  const declined = new Set(job ? [proposalKey(job, lesson)] : []);
  expect(propose([named], [lesson], declined)).toEqual([undefined]);
});

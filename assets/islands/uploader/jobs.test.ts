import { expect, it } from "vitest";

import { jobsOf, marksOf, openUploadFor } from "./jobs";
import { messageOf } from "./messages";
import { factsOf } from "./messages";
import { FakeTransport, fileOf, lessonOf, uploadOf, videoOf } from "./testing";
import { Transfers } from "../../shared/uploads/transfers";

const NOW = Date.parse("2026-03-14T12:00:00Z");
const OLD = "2026-03-14T09:00:00Z";

it.each([
  ["failed", { stage: "failed", failure: "corrupt_file" }, "needs"],
  ["queued", { stage: "queued" }, "way"],
  ["analyzing", { stage: "analyzing" }, "way"],
  ["finalizing", { stage: "finalizing" }, "way"],
  ["stopped", { stage: "uploading", updated_at: OLD, upload: uploadOf() }, "needs"],
  ["sent from elsewhere", { stage: "uploading", updated_at: "2026-03-14T11:59:50Z" }, "way"],
  ["done today", { stage: "complete", completed_at: "2026-03-14T11:00:00Z" }, "done"],
] as const)("puts a video that is %s where it belongs", (_, facts, group) => {
  expect(jobsOf([], [videoOf(facts)], [], NOW).map((job) => job.group)).toEqual([group]);
});

it("omits videos completed on another day", () => {
  const video = videoOf({ stage: "complete", completed_at: "2026-03-01T11:00:00Z" });

  expect(jobsOf([], [video], [], NOW)).toEqual([]);
});

it("shows a transfer and its video as one job", () => {
  const transport = new FakeTransport();
  const transfers = new Transfers(transport);
  const video = videoOf({ stage: "uploading", upload: uploadOf() });
  transfers.add(fileOf("lecture.mp4", 1000), { video: video.uid });

  const jobs = jobsOf(transfers.all, [video], [], NOW);

  expect(jobs).toHaveLength(1);
  expect(jobs[0]).toMatchObject({ group: "way", video });
});

it("continues with the video after a transfer was sent", () => {
  const transport = new FakeTransport();
  const transfers = new Transfers(transport);
  const video = videoOf({ stage: "failed", failure: "corrupt_file" });
  transfers.add(fileOf("lecture.mp4", 1000), { video: video.uid });
  transport.of("lecture.mp4").events.onDone();

  expect(jobsOf(transfers.all, [video], [], NOW)[0]?.group).toBe("needs");
});

it("shows a sent video as queued while the list is older", () => {
  const transport = new FakeTransport();
  const transfers = new Transfers(transport);
  const video = videoOf({ stage: "uploading", percent: 0, updated_at: "2026-03-14T11:59:59Z" });
  transfers.add(fileOf("lecture.mp4", 1000), { video: video.uid });
  transport.of("lecture.mp4").events.onDone();
  const job = jobsOf(transfers.all, [video], [], NOW)[0]!;

  expect(messageOf(job).main).toBe("Uploaded. Waiting in the queue.");
  expect(marksOf(job).map(({ state }) => state)).toEqual([
    "done",
    "now",
    "open",
    "open",
    "open",
    "open",
  ]);
});

it("finds the lesson that shows the video or will show it", () => {
  const shown = lessonOf({ video: videoOf().uid });
  const wanted = lessonOf({ uid: "wanted" });
  const transfers = new Transfers(new FakeTransport());
  transfers.add(fileOf("new.mp4", 5), { target: "wanted" });

  const jobs = jobsOf(transfers.all, [videoOf()], [shown, wanted], NOW);

  expect(jobs.map((job) => job.lesson?.uid)).toEqual(["wanted", shown.uid]);
});

it("says that a video has no lesson only once the lessons are known", () => {
  const facts = (areKnown: boolean): string[] =>
    jobsOf([], [videoOf({ stage: "analyzing" })], [], NOW, areKnown).map(factsOf);

  expect(facts(true)[0]).toContain("Not assigned to a lesson");
  expect(facts(false)[0]).not.toContain("Not assigned");
});

it("marks done, current and failed stages", () => {
  const marks = (facts: Parameters<typeof videoOf>[0]): string =>
    marksOf(jobsOf([], [videoOf(facts)], [], NOW)[0]!)
      .map(({ state, percent }) => (state === "now" ? `now ${percent}` : state))
      .join(", ");

  expect(marks({ stage: "audio", percent: 45 })).toBe("done, done, done, now 45, open, open");
  expect(marks({ stage: "queued" })).toBe("done, now 0, open, open, open, open");
  expect(marks({ stage: "failed", failure: "corrupt_file" })).toBe(
    "done, done, bad, open, open, open",
  );
  expect(marks({ stage: "failed", failure: "processing_failed" })).toBe(
    "done, done, done, done, bad, open",
  );
  expect(marks({ stage: "complete", completed_at: "2026-03-14T11:00:00Z" })).toBe(
    "done, done, done, done, done, done",
  );
});

it("finds an upload that the same file can resume", () => {
  const video = videoOf({ stage: "uploading", upload: uploadOf() });

  expect(openUploadFor(fileOf("lecture.mp4", 1000), [video])).toBe(video);
  expect(openUploadFor(fileOf("lecture.mp4", 999), [video])).toBeNull();
  expect(openUploadFor(fileOf("other.mp4", 1000), [video])).toBeNull();
});

it("shows a video in no lesson whose place another one has taken since", () => {
  const lesson = lessonOf({ video: "newer", shows: "newer.mp4" });
  const completed_at = new Date(NOW).toISOString();
  const [job] = jobsOf(
    [],
    [videoOf({ stage: "complete", completed_at, upload: uploadOf({ target: lesson.uid }) })],
    [lesson],
    NOW,
  );
  expect(job).toMatchObject({ lesson: null, isReplacing: false });
});

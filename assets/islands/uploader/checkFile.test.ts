import { expect, it } from "vitest";

import { type Limits, refusalOf } from "./checkFile";

const GB = 2 ** 30;
const limits: Limits = {
  video: 5 * GB,
  videoLabel: "5 GB",
  fileLabel: "2 GB",
  formats: ["MP4", "MOV", "AVI", "WebM"],
  endings: [".mp4", ".mov", ".avi", ".webm"],
};

it.each([
  ["lecture.mp4", 5 * GB],
  ["LECTURE.MOV", 1],
  ["no-ending", 1],
])("accepts %s, as only the bytes tell what it is", (name, size) => {
  expect(refusalOf({ name, size }, limits, null)).toBeNull();
});

it("rejects a file that is too large, and names the limit", () => {
  const refusal = refusalOf({ name: "a.mp4", size: 5 * GB + 1 }, limits, null);

  expect(refusal?.is("UPLOAD_FILE_TOO_LARGE")).toBe(true);
  expect(refusal?.message).toContain("5 GB");
});

it.each(["notes.pdf", "list.m3u8", "a.mp4.exe"])("rejects %s by its name", (name) => {
  expect(refusalOf({ name, size: 1 }, limits, null)?.is("UPLOAD_FORMAT_UNSUPPORTED")).toBe(true);
});

it("rejects a file that exceeds the storage, and says how much is free", () => {
  const refusal = refusalOf({ name: "a.mp4", size: 2 * GB }, limits, GB, 50 * GB);

  expect(refusal?.is("UPLOAD_QUOTA_EXCEEDED")).toBe(true);
  expect(refusal?.message).toContain("1 GB of your 50 GB");
});

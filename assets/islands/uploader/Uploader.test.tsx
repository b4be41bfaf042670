import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { STORAGE_KEY } from "../../shared/auth/session";
import { session } from "../../shared/auth/browser";
import { ApiError, makeError, problemOf } from "../../shared/api/errors";
import { createQueryClient } from "../../shared/queryClient";
import { tokenFor } from "../../shared/testing/tokens";
import type { Video, VideoLesson } from "./api";
import { FakeTransport, fileOf, lessonOf, uploadOf, videoOf } from "./testing";
import { Transfers } from "../../shared/uploads/transfers";
import { Uploader } from "./Uploader";

const GB = 2 ** 30;
const limits = {
  video: 5 * GB,
  videoLabel: "5 GB",
  fileLabel: "2 GB",
  formats: ["MP4", "MOV", "AVI", "WebM"],
  endings: [".mp4", ".mov", ".avi", ".webm"],
};
const storage = { videos: GB, files: 0, held: GB, used: 2 * GB, free: 48 * GB, allowance: 50 * GB };

let transport: FakeTransport;
let videos: Video[];
let lessons: VideoLesson[];
let calls: { method: string; path: string; body: unknown }[];

class SilentSocket extends EventTarget {
  close(): void {
    // Nothing comes through it in these tests.
  }
}

beforeEach(() => {
  transport = new FakeTransport();
  videos = [];
  lessons = [];
  calls = [];
  const user = {
    id: "ada",
    username: "ada",
    email: "ada@example.com",
    role: "instructor" as const,
  };
  session.login(user, tokenFor(900));
  expect(localStorage.getItem(STORAGE_KEY)).not.toBeNull();
  vi.stubGlobal("WebSocket", SilentSocket);
  vi.stubGlobal("fetch", answer);
});

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const { method } = request;
  const body: unknown = method === "GET" ? null : await request.json().catch(() => null);
  calls.push({ method, path: pathname, body });
  const page = (results: unknown[]) =>
    Response.json({ count: results.length, next: null, previous: null, results });
  if (pathname === "/api/v1/videos/") return page(videos);
  if (pathname === "/api/v1/storage/") return Response.json(storage);
  if (pathname === "/api/v1/teaching/lessons/")
    return page(lessons.filter(({ video }) => video !== null || searchParams.has("editable")));
  if (method === "PUT") return Response.json(lessonOf());
  if (pathname.endsWith("/retry/")) return Response.json(videoOf());
  return new Response(null, { status: 204 });
}

async function open(target: VideoLesson | null = null) {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Uploader
        limits={limits}
        target={target}
        links={["/help/video-compression"]}
        user="ada"
        transport={transport}
        transfers={new Transfers(transport)}
      />
    </QueryClientProvider>,
  );
  await screen.findByText("48 GB free of 50 GB");
}
const input = () => screen.getByLabelText<HTMLInputElement>("Choose videos");
const choose = (...files: File[]) => userEvent.upload(input(), files, { applyAccept: false });
const card = (name: string) => screen.getByRole("listitem", { name });
const group = (name: string) => screen.getByRole("region", { name: new RegExp(`^${name}`) });
const said = (kind: "polite" | "assertive") =>
  document.querySelector(`[data-live=${kind}]`)?.textContent ?? "";
const happens = (what: () => void) =>
  act(async () => {
    what();
    await new Promise((resolve) => setTimeout(resolve, 300));
  });

it("states the limits of the server", async () => {
  await open();

  expect(screen.getByText(/MP4, MOV, AVI or WebM, up to 5 GB each/)).toBeDefined();
  expect(input().multiple).toBe(true);
});

it("uploads a chosen file, shows its progress, and announces it once", async () => {
  await open();
  await choose(fileOf("lecture.mp4", 1000));
  const upload = transport.of("lecture.mp4");
  await happens(() => upload.events.onProgress(610));

  expect(within(group("In progress")).getByText("Uploading 61%")).toBeDefined();
  expect(within(card("lecture.mp4")).getByText(/^610 bytes of 1,?000 bytes/)).toBeDefined();
  expect(said("polite")).toBe("1 file added");
});

it("pauses and resumes by keyboard", async () => {
  await open();
  await choose(fileOf("lecture.mp4", 1000));
  screen.getByRole("button", { name: "Pause upload of lecture.mp4" }).focus();
  await userEvent.keyboard("{Enter}");
  expect(within(card("lecture.mp4")).getByText(/^Paused/)).toBeDefined();

  await userEvent.click(screen.getByRole("button", { name: "Resume" }));

  expect(transport.uploads).toHaveLength(2);
});

it("asks before it cancels and frees the storage", async () => {
  await open();
  await choose(fileOf("lecture.mp4", 1000));
  act(() => transport.of("lecture.mp4").events.onCreated("/api/v1/uploads/7/", null));
  await userEvent.click(screen.getByRole("button", { name: "Cancel upload of lecture.mp4" }));
  expect(transport.removed).toEqual([]);

  await userEvent.click(screen.getByRole("button", { name: "Cancel upload" }));

  expect(transport.removed).toEqual(["/api/v1/uploads/7/"]);
  expect(screen.queryByText("lecture.mp4")).toBeNull();
});

it.each([
  ["notes.pdf", 5, "Videos must be in one of these formats: MP4, MOV, AVI, WebM."],
  ["huge.mp4", 6 * GB, "This file is larger than 5 GB."],
])("rejects %s before a byte is sent, and announces it", async (name, size, words) => {
  await open();
  await choose(fileOf(name, size));

  const refused = within(within(group("Needs your attention")).getByRole("listitem", { name }));
  expect(refused.getByText(new RegExp(words))).toBeDefined();
  expect(refused.getByText("Nothing was uploaded.")).toBeDefined();
  expect(said("assertive")).toContain(words);
  expect(transport.uploads).toEqual([]);

  await userEvent.click(screen.getByRole("button", { name: `Remove ${name}` }));
  expect(screen.queryByText(name)).toBeNull();
});

it("counts files chosen together against the storage", async () => {
  await open();
  const sizes = [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4];
  await choose(...sizes.map((size, index) => fileOf(`part-${index}.mp4`, size * GB)));

  const last = within(
    within(group("Needs your attention")).getByRole("listitem", { name: "part-12.mp4" }),
  );
  expect(
    last.getByText(/This file needs 4 GB, but only 0 bytes of your 50 GB are free/),
  ).toBeDefined();
});

it("links only to pages that exist", async () => {
  await open();
  await choose(fileOf("huge.mp4", 6 * GB), fileOf("notes.pdf", 5));

  expect(screen.getByRole("link", { name: "How to compress a video" })).toBeDefined();
  expect(screen.queryByRole("link", { name: "See supported formats" })).toBeNull();
});

it("keeps sent bytes when the connection breaks and resumes automatically or at once", async () => {
  await open();
  await choose(fileOf("lecture.mp4", 1000));
  await happens(() => {
    transport.of("lecture.mp4").events.onProgress(410);
    transport.breakOff("lecture.mp4");
  });
  const held = within(
    within(group("Needs your attention")).getByRole("listitem", { name: "lecture.mp4" }),
  );
  expect(held.getByText(/410 bytes uploaded and saved/)).toBeDefined();
  expect(held.getByText(/^Retrying in \d s$/)).toBeDefined();

  await userEvent.click(held.getByRole("button", { name: "Resume upload" }));

  expect(transport.uploads).toHaveLength(2);
});

it("resumes as soon as the browser is online again", async () => {
  await open();
  await choose(fileOf("lecture.mp4", 1000));
  act(() => transport.breakOff("lecture.mp4"));
  act(() => void window.dispatchEvent(new Event("online")));

  expect(transport.uploads).toHaveLength(2);
});

it("shows the message of the server for a rejected file", async () => {
  await open();
  await choose(fileOf("lecture.mp4", 1000));
  act(() =>
    transport
      .of("lecture.mp4")
      .events.onFail(makeError("UPLOAD_FORMAT_UNSUPPORTED", { formats: "MP4" })),
  );

  expect(
    within(group("Needs your attention")).getByText(/Videos must be in one of these formats: MP4/),
  ).toBeDefined();
});

it("offers to resume an earlier upload, with the same file", async () => {
  videos = [videoOf({ stage: "uploading", percent: 41, upload: uploadOf() })];
  await open();
  const stopped = within(await screen.findByRole("listitem", { name: "lecture.mp4" }));
  expect(stopped.getByText(/stopped at 41%/)).toBeDefined();

  const chooser = stopped.getByLabelText("Choose lecture.mp4 again to resume its upload");
  await userEvent.upload(chooser, fileOf("lecture.mp4", 1000));

  expect(transport.of("lecture.mp4").url).toBe(`/api/v1/uploads/${uploadOf().uid}/`);
  expect(screen.getAllByText("lecture.mp4")).toHaveLength(1);
});

it("recognizes a dropped file with an unfinished upload", async () => {
  transport.previous.set("known.mp4", "/api/v1/uploads/9/");
  videos = [videoOf({ stage: "uploading", upload: uploadOf() })];
  await open();
  await screen.findByRole("listitem", { name: "lecture.mp4" });
  await choose(fileOf("lecture.mp4", 1000), fileOf("known.mp4", 50));

  expect(transport.of("lecture.mp4").url).toBe(`/api/v1/uploads/${uploadOf().uid}/`);
  expect(transport.of("known.mp4").url).toBe("/api/v1/uploads/9/");
});

it("shows the stages of processing and what is done", async () => {
  const now = new Date().toISOString();
  videos = [
    videoOf({
      uid: "a",
      filename: "a.mp4",
      stage: "audio",
      percent: 45,
      doing: "Preparing the audio",
    }),
    videoOf({ uid: "b", filename: "b.mp4", stage: "complete", completed_at: now, duration: 495 }),
  ];
  lessons = [lessonOf({ video: "b" })];
  await open();

  expect(await screen.findByText("Audio and captions 45%")).toBeDefined();
  expect(screen.getByText("Preparing the audio")).toBeDefined();
  const done = within(within(group("Done today")).getByRole("listitem", { name: "b.mp4" }));
  expect(await done.findByText(/^For lesson 2.4 of /)).toBeDefined();
  expect(done.getByRole("link", { name: "Open lesson" }).getAttribute("href")).toContain("#panel");
});

it("gives each failure its own action", async () => {
  const failed = { stage: "failed" as const, updated_at: "2026-03-14T09:00:00Z" };
  videos = [
    videoOf({
      ...failed,
      uid: "a",
      filename: "torn.avi",
      failure: "corrupt_file",
      failure_detail: "It ends at 3:14.",
    }),
    videoOf({
      ...failed,
      uid: "b",
      filename: "again.mp4",
      failure: "processing_failed",
      failure_label: "Processing failed",
      abilities: { edit: true, retry: true },
    }),
  ];
  await open();
  const torn = within(await screen.findByRole("listitem", { name: "torn.avi" }));
  await userEvent.upload(torn.getByLabelText(/to replace torn.avi/), fileOf("whole.mp4", 5));
  expect(transport.of("whole.mp4").replaces).toBe("a");

  await userEvent.click(within(card("again.mp4")).getByRole("button", { name: "Try again" }));

  expect(calls).toContainEqual({ method: "POST", path: "/api/v1/videos/b/retry/", body: null });
});

it("removes a failed video after asking", async () => {
  videos = [videoOf({ uid: "a", filename: "torn.avi", stage: "failed", failure: "corrupt_file" })];
  await open();
  await userEvent.click(await screen.findByRole("button", { name: "Remove torn.avi" }));
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));

  expect(calls).toContainEqual({ method: "DELETE", path: "/api/v1/videos/a/", body: null });
});

it("deletes a complete video after naming the lesson that uses it", async () => {
  const completed_at = new Date().toISOString();
  videos = [videoOf({ uid: "a", filename: "old-take.mp4", stage: "complete", completed_at })];
  lessons = [lessonOf({ video: "a" })];
  await open();
  await userEvent.click(await screen.findByRole("button", { name: "Delete old-take.mp4" }));
  expect(screen.getByText(/Lesson 2.4 will no longer have a video/).textContent).toContain(
    "Its original goes to the bin for 30 days",
  );
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));

  expect(calls).toContainEqual({ method: "DELETE", path: "/api/v1/videos/a/", body: null });
});

it("marks what failed after it was sent as failed, not as waiting for the network", async () => {
  await open();
  await choose(fileOf("torn.mp4", 10));
  videos = [videoOf({ uid: "a", filename: "torn.mp4", stage: "failed", failure: "corrupt_file" })];
  const upload = transport.of("torn.mp4");
  await happens(() => upload.events.onCreated("/api/v1/uploads/u/", "a"));
  await happens(() => upload.events.onDone());

  await vi.waitFor(() => expect(card("torn.mp4").className).toContain("job--bad"), 5_000);
});

it("sends the first file to the lesson of the address", async () => {
  const target = lessonOf({ title: "The fall" });
  await open(target);
  expect(screen.getByText(/Drop the video for lesson 2.4 here/)).toBeDefined();
  await choose(fileOf("a.mp4", 5), fileOf("b.mp4", 5));

  expect(transport.of("a.mp4").target).toBe(target.uid);
  expect(transport.of("b.mp4").target).toBeNull();
});

it("assigns the lesson to the first valid video", async () => {
  const target = lessonOf({ title: "The fall" });
  await open(target);
  await choose(fileOf("empty.mp4", 0), fileOf("a.mp4", 10));

  expect(within(card("empty.mp4")).getByText(/has no content/)).toBeDefined();
  expect(transport.of("a.mp4").target).toBe(target.uid);
});

it("adds a video to a lesson without one", async () => {
  videos = [videoOf({ stage: "analyzing" })];
  lessons = [lessonOf()];
  await open();
  const choice = await screen.findByLabelText("Lesson for lecture.mp4");
  fireEvent.change(choice, { target: { value: lessonOf().uid } });
  await happens(() => undefined);

  expect(calls).toContainEqual({
    method: "PUT",
    path: `/api/v1/lessons/${lessonOf().uid}/video/`,
    body: { video: videoOf().uid, token: " " },
  });
});

it("asks before the page is left during an upload", async () => {
  await open();
  const leave = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(leave()).toBe(false);
  await choose(fileOf("lecture.mp4", 1000));

  expect(leave()).toBe(true);
});

it("names every stage", async () => {
  videos = [videoOf({ filename: "a.mp4", stage: "queued" })];
  await open();
  await screen.findByRole("listitem", { name: "a.mp4" });

  const stages = within(within(card("a.mp4")).getByRole("list", { name: "Stages" }));
  expect(stages.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    "Uploading, done",
    "Queued",
    "Analyzing and thumbnails",
    "Audio and captions",
    "Finalizing",
    "Complete",
  ]);
});

it("says that a file is corrupt, and why", async () => {
  const facts = { failure: "corrupt_file", failure_label: "Corrupt file" } as const;
  videos = [
    videoOf({
      filename: "torn.avi",
      stage: "failed",
      failure_detail: "It ends too early.",
      ...facts,
    }),
  ];
  await open();

  expect(await screen.findByText("Corrupt file. It ends too early.")).toBeDefined();
});

it("warns of unreadable streams and of rejected new contents", async () => {
  const now = new Date().toISOString();
  videos = [
    videoOf({
      uid: "a",
      filename: "a.mp4",
      stage: "complete",
      completed_at: now,
      notice: "About 3 seconds of the picture (2%) could not be read.",
    }),
    videoOf({
      uid: "b",
      filename: "b.mp4",
      stage: "complete",
      completed_at: "2026-03-01T11:00:00Z",
      updated_at: now,
      notice: "The new file wasn't used.",
    }),
  ];
  await open();

  expect(await screen.findByText(/^About 3 seconds of the picture/)).toBeDefined();
  const kept = within(within(group("Needs you")).getByRole("listitem", { name: "b.mp4" }));
  expect(kept.getByText("The new file wasn't used.")).toBeDefined();
});

const noSpace = new ApiError(507, {
  ...problemOf("STORE_FULL", 507),
  detail: "There is no space to save this right now.",
});

it("names a server without disk space, keeps sent bytes and resumes automatically", async () => {
  await open();
  await choose(fileOf("lecture.mp4", 1000));
  await happens(() => {
    transport.of("lecture.mp4").events.onProgress(410);
    transport.of("lecture.mp4").events.onFail(noSpace);
  });

  const held = within(within(group("Needs you")).getByRole("listitem", { name: "lecture.mp4" }));
  expect(
    held.getByText(/no space to save this right now.* 410 bytes uploaded and saved/),
  ).toBeDefined();
  expect(held.getByText(/^Retrying in \d+ s$/)).toBeDefined();
});

it("assigns files to the lessons that their names tell, and lets the author change it", async () => {
  lessons = [
    lessonOf({ uid: "a", number: "3.5", title: "Rank and nullity" }),
    lessonOf({ uid: "b", number: "3.6", title: "Change of basis" }),
  ];
  await open();
  await choose(fileOf("3-05-rank.mp4", 10), fileOf("GX0042.mp4", 10), fileOf("3-06.mp4", 10));

  expect(transport.of("3-05-rank.mp4").target).toBe("a");
  expect(transport.of("GX0042.mp4").target).toBe(null);
  expect(within(card("3-06.mp4")).getByText(/For lesson 3.6/)).toBeDefined();
  expect(said("polite")).toBe("2 files were assigned to lessons by their names");

  await userEvent.selectOptions(
    screen.getByLabelText<HTMLSelectElement>("Lesson for 3-06.mp4"),
    "No lesson",
  );
  expect(within(card("3-06.mp4")).getByText(/Not assigned to a lesson/)).toBeDefined();
});

it("moves a video whose upload has begun to another lesson", async () => {
  lessons = [
    lessonOf({ uid: "a", number: "3.5", title: "Rank and nullity" }),
    lessonOf({ uid: "b", number: "3.6", title: "Change of basis" }),
  ];
  videos = [videoOf({ uid: "v", stage: "uploading", upload: uploadOf({ target: "a" }) })];
  await open();
  await choose(fileOf("3-05.mp4", 10));
  await happens(() => transport.of("3-05.mp4").events.onCreated("/api/v1/uploads/u/", "v"));
  await userEvent.selectOptions(screen.getByLabelText("Lesson for 3-05.mp4"), "b");
  await happens(() => undefined);

  expect(calls.filter(({ method }) => method === "PUT")).toMatchObject([
    { path: "/api/v1/lessons/b/video/" },
    { path: "/api/v1/lessons/a/video/", body: { video: null, withdraws: "v" } },
  ]);
  expect(within(card("3-05.mp4")).getByText(/For lesson 3.6/)).toBeDefined();
});

const replaceable = (facts: Partial<VideoLesson> = {}) =>
  lessonOf({ video: "old", shows: "old.mp4", duration: 588, token: "old ", ...facts });
const puts = () => calls.filter(({ method }) => method === "PUT");

it("offers lessons that have a video in groups of their own, and replaces after a yes", async () => {
  videos = [videoOf({ uid: "v", stage: "complete", completed_at: new Date().toISOString() })];
  lessons = [lessonOf({ uid: "empty", title: "Empty" }), replaceable()];
  await open();
  const choice = await screen.findByLabelText<HTMLSelectElement>("Lesson for lecture.mp4");
  expect(
    [...choice.querySelectorAll("optgroup")].map(({ label, textContent }) => [label, textContent]),
  ).toEqual([
    ["Linear Algebra", "2.4 Empty"],
    ["Replace the video of a lesson: Linear Algebra", "2.4 Eigenvectors, shows old.mp4 (9:48)"],
  ]);

  await userEvent.selectOptions(choice, replaceable().uid);
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("takes its place now. No video is deleted.");
  await userEvent.click(within(dialog).getByRole("button", { name: "Keep the present video" }));
  expect(puts()).toEqual([]);
  expect(choice.value).toBe("");

  await userEvent.selectOptions(choice, replaceable().uid);
  await userEvent.click(await screen.findByRole("button", { name: "Replace the video" }));
  await happens(() => undefined);
  expect(puts()).toMatchObject([{ body: { video: "v", token: "old " } }]);
  expect(said("polite")).toBe("lecture.mp4 replaces the video of lesson 2.4");
});

it("proposes to replace the video of a lesson whose name a file has, and never does so by itself", async () => {
  lessons = [replaceable(), lessonOf({ uid: "b", number: "2.5", title: "Change of basis" })];
  await open();
  await choose(fileOf("2-04 eigenvectors.mp4", 10), fileOf("2-05.mp4", 10), fileOf("c.mp4", 10));
  expect(transport.of("2-04 eigenvectors.mp4").target).toBe(null);
  expect(transport.of("2-05.mp4").target).toBe("b");
  expect(screen.getAllByText(/By its name, it is for lesson/)).toHaveLength(1);

  await userEvent.click(screen.getByRole("button", { name: "Replace the video" }));

  expect(puts()).toEqual([]); // nothing of it is on the server yet
  const facts = within(card("2-04 eigenvectors.mp4"));
  expect(facts.getByText(/^Replaces the video of lesson 2.4 of Linear Algebra/)).toBeDefined();
  expect(facts.queryByText(/By its name/)).toBeNull();

  await userEvent.selectOptions(facts.getByRole("combobox"), "No lesson");
  expect(facts.getByText(/^Not assigned to a lesson/)).toBeDefined();
  expect(facts.queryByText(/By its name/)).toBeNull();
});

it("forgets a proposal that the author declines", async () => {
  lessons = [replaceable()];
  await open();
  await choose(fileOf("2-04 eigenvectors.mp4", 10));
  await userEvent.click(screen.getByRole("button", { name: "Don't replace it" }));

  expect(screen.queryByText(/By its name/)).toBeNull();
  expect(within(card("2-04 eigenvectors.mp4")).getByRole("combobox")).toBeDefined();
});

it("shows a replacement that waits for its processing, and takes it back", async () => {
  videos = [videoOf({ uid: "v", stage: "audio" })];
  lessons = [replaceable({ next_video: "v" })];
  await open();
  const facts = within(await screen.findByRole("listitem", { name: "lecture.mp4" }));
  expect(await facts.findByText(/^Replaces the video of lesson 2.4/)).toBeDefined();

  await userEvent.selectOptions(facts.getByRole("combobox"), "No lesson");
  await happens(() => undefined);

  expect(puts()).toMatchObject([{ body: { video: null, withdraws: "v" } }]);
});

it("leads to the question of what counts, if the new video has another length", async () => {
  videos = [videoOf({ uid: "v", stage: "complete", completed_at: new Date().toISOString() })];
  lessons = [replaceable({ video: "v", decide_href: "/dashboard/instructor/courses/a/version" })];
  await open();

  const link = await screen.findByRole("link", { name: /^Choose what counts/ });
  expect(link.getAttribute("href")).toBe("/dashboard/instructor/courses/a/version");
});

it("says what a file for the lesson of the address replaces", async () => {
  await open(replaceable());

  expect(screen.getByText(/Drop the new video of lesson 2.4 here/)).toBeDefined();
  expect(screen.getByText(/It replaces old.mp4 \(9:48\)/)).toBeDefined();
});

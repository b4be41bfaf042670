import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { createQueryClient } from "../../shared/queryClient";
import { tokenFor } from "../../shared/testing/tokens";
import type { Reopened, StoredFile } from "../../shared/uploads/fileHandles";
import { Transfers } from "../../shared/uploads/transfers";
import { FakeTransport, fileOf, uploadOf, videoOf } from "./testing";
import { Uploader } from "./Uploader";
import type { FileStore } from "./useStoredFiles";

const URL_OF_UPLOAD = "/api/v1/uploads/22222222-2222-4222-8222-222222222222/";
const handles = {
  stored: [] as StoredFile[],
  reopened: { state: "ask" } as Reopened,
  reopenedAfterAsking: null as Reopened | null,
  forgotten: [] as string[],
  isHeldElsewhere: false,
};

const files: FileStore = {
  handleOf: () => null,
  loadStoredFiles: () => Promise.resolve(handles.stored),
  storeFile: () => Promise.resolve(),
  forgetFile: (url) => {
    handles.forgotten.push(url);
    return Promise.resolve();
  },
  reopenFile: (_, mayAsk) =>
    Promise.resolve((mayAsk ? handles.reopenedAfterAsking : null) ?? handles.reopened),
  holdUpload: () => Promise.resolve(!handles.isHeldElsewhere),
  releaseUpload: () => undefined,
};

const GB = 2 ** 30;
const limits = {
  video: 5 * GB,
  videoLabel: "5 GB",
  fileLabel: "2 GB",
  formats: ["MP4", "MOV"],
  endings: [".mp4", ".mov"],
};

class SilentSocket extends EventTarget {
  close(): void {
    // Nothing comes through it in these tests.
  }
}

let transport: FakeTransport;
const stored = (facts: Partial<StoredFile> = {}): StoredFile => ({
  url: URL_OF_UPLOAD,
  user: "ada",
  name: "lecture.mp4",
  size: 1000,
  lastModified: 0,
  handle: {} as FileSystemFileHandle,
  isPaused: false,
  ...facts,
});

beforeEach(() => {
  transport = new FakeTransport();
  Object.assign(handles, {
    stored: [stored()],
    reopened: { state: "open", file: fileOf("lecture.mp4", 1000) },
    reopenedAfterAsking: null,
    forgotten: [],
    isHeldElsewhere: false,
  });
  const user = {
    id: "ada",
    username: "ada",
    email: "ada@example.com",
    role: "instructor" as const,
  };
  session.login(user, tokenFor(900));
  vi.stubGlobal("WebSocket", SilentSocket);
});

async function open(stage: "uploading" | "queued" = "uploading") {
  const video = videoOf({ stage, upload: stage === "uploading" ? uploadOf() : null });
  vi.stubGlobal("fetch", (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/v1/storage/")
      return Promise.resolve(
        Response.json({ videos: 0, files: 0, held: 0, used: 0, free: GB, allowance: GB }),
      );
    const results = pathname === "/api/v1/videos/" ? [video] : [];
    return Promise.resolve(
      Response.json({ count: results.length, next: null, previous: null, results }),
    );
  });
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Uploader
        limits={limits}
        target={null}
        links={[]}
        user="ada"
        transport={transport}
        transfers={new Transfers(transport)}
        files={files}
      />
    </QueryClientProvider>,
  );
  await screen.findByRole("listitem", { name: "lecture.mp4" });
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
}
const card = () => within(screen.getByRole("listitem", { name: "lecture.mp4" }));

it("continues by itself with the file of an earlier visit", async () => {
  await open();

  expect(transport.of("lecture.mp4")).toMatchObject({ url: URL_OF_UPLOAD, isStopped: false });
});

it("leaves what was paused to the user", async () => {
  handles.stored = [stored({ isPaused: true })];
  await open();
  expect(transport.uploads).toEqual([]);
  expect(card().getByText("Paused. 410 bytes uploaded.")).toBeDefined();

  await userEvent.click(card().getByRole("button", { name: "Resume" }));
  expect(transport.of("lecture.mp4").url).toBe(URL_OF_UPLOAD);
});

it("asks the browser only during a click", async () => {
  handles.reopened = { state: "ask" };
  handles.reopenedAfterAsking = { state: "open", file: fileOf("lecture.mp4", 1000) };
  await open();
  expect(transport.uploads).toEqual([]);
  expect(card().getByText("Your browser asks before it reads the file again.")).toBeDefined();

  await userEvent.click(card().getByRole("button", { name: "Resume upload of lecture.mp4" }));
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(transport.of("lecture.mp4").url).toBe(URL_OF_UPLOAD);
});

it.each([
  ["changed", /The file has changed/],
  ["gone", /moved, renamed or deleted/],
] as const)(
  "sends nothing of a file that is %s, and lets it be chosen again",
  async (state, said) => {
    handles.reopened = { state };
    await open();

    expect(transport.uploads).toEqual([]);
    expect(card().getByText(said)).toBeDefined();
    expect(card().getByLabelText("Choose lecture.mp4 again to resume its upload")).toBeDefined();
  },
);

it("sends nothing that another tab sends", async () => {
  handles.isHeldElsewhere = true;
  await open();

  expect(transport.uploads).toEqual([]);
});

it("forgets the file of an upload that is complete", async () => {
  await open("queued");

  expect(transport.uploads).toEqual([]);
  expect(handles.forgotten).toEqual([URL_OF_UPLOAD]);
});

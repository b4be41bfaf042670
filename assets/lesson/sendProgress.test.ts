import { beforeEach, expect, it, vi } from "vitest";

import { ApiError } from "../shared/api/errors";

type Call = { params: { path: { uid: string } }; body: object };
const post = vi.fn<(uid: string, body: object) => Promise<object>>();
vi.mock("../shared/api/client", async (original) => ({
  ...(await original<object>()),
  authenticatedApi: { POST: (_: string, { params, body }: Call) => post(params.path.uid, body) },
  unwrap: (call: Promise<object>) => call,
}));
vi.mock("../shared/auth/browser", () => ({
  session: { requireBearer: () => Promise.resolve("t"), state: { user: { id: "ada" } } },
}));
const { sendStoredProgress } = await import("./sendProgress");

const saved = {
  completed: true,
  newly_completed: true,
  course_percent: 25,
  completed_lessons: 1,
  certificate_url: null,
  milestone: 25,
};
const progress = { position: 5, watched: [[0, 5]], at: "2026-03-01T10:00:00.000Z" };
const toasts = (): string[] =>
  [...document.querySelectorAll(".toast p")].map(({ textContent }) => textContent);

beforeEach(() => {
  document.body.replaceChildren();
  post.mockReset();
  localStorage.setItem("study.progress.ada", JSON.stringify({ a: progress, b: progress }));
});

it("sends what is stored and says what is complete", async () => {
  post.mockResolvedValue(saved);
  await sendStoredProgress("ada");

  expect(post.mock.calls).toEqual([
    ["a", progress],
    ["b", progress],
  ]);
  expect(localStorage.getItem("study.progress.ada")).toBeNull();
  expect(toasts()).toContain("Synced: a video you watched is complete.");
});

it("keeps it without a connection, and sends it when it returns", async () => {
  post.mockRejectedValueOnce(new Error("off"));
  await sendStoredProgress("ada");
  expect(localStorage.getItem("study.progress.ada")).not.toBeNull();

  post.mockResolvedValue({ ...saved, newly_completed: false });
  dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(localStorage.getItem("study.progress.ada")).toBeNull());
});

it("keeps the progress of a user who is not signed in now", async () => {
  localStorage.setItem("study.progress.leo", JSON.stringify({ a: progress }));
  await sendStoredProgress("leo");

  expect(post).not.toHaveBeenCalled();
  expect(localStorage.getItem("study.progress.leo")).not.toBeNull();
});

it("says once that the server refuses it, and forgets it", async () => {
  const problem = {
    code: "PERMISSION_DENIED",
    title: "No",
    status: 403,
    detail: "You aren't enrolled.",
  };
  post.mockRejectedValue(new ApiError(403, problem as never));
  await sendStoredProgress("ada");

  expect(toasts()).toEqual(["The progress of a video couldn't be saved. You aren't enrolled."]);
  expect(localStorage.getItem("study.progress.ada")).toBeNull();
});

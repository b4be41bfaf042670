import { beforeEach, expect, it, vi } from "vitest";

import { MAX_FAILURES, RetryClock } from "./retry";

let visibility: DocumentVisibilityState;

beforeEach(() => {
  vi.useFakeTimers();
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
});

it("retries when the countdown is over", async () => {
  const action = vi.fn();
  const clock = new RetryClock();
  clock.onTry(action);
  clock.failed(new Error("one"), 3000);

  await vi.advanceTimersByTimeAsync(2800);
  expect(action).not.toHaveBeenCalled();
  expect(clock.state.left).toBe(200);

  await vi.advanceTimersByTimeAsync(200);
  expect(action).toHaveBeenCalledOnce();
  expect(clock.state.left).toBeNull();
});

it("stops after three failures", async () => {
  const clock = new RetryClock();
  const action = vi.fn(() => clock.failed(new Error("again"), 1000));
  clock.onTry(action);
  clock.failed(new Error("first"), 1000);
  await vi.advanceTimersByTimeAsync(60_000);

  expect(action).toHaveBeenCalledTimes(MAX_FAILURES);
  expect(clock.state.left).toBeNull();
});

it("counts from the beginning after a success", async () => {
  const clock = new RetryClock();
  const action = vi.fn();
  clock.onTry(action);
  for (const error of ["a", "b", "c", "d"]) clock.failed(error, 1000);
  clock.succeeded();
  clock.failed("e", 1000);
  await vi.advanceTimersByTimeAsync(1000);

  expect(action).toHaveBeenCalledOnce();
});

it("counts a failure that is reported twice once", () => {
  const clock = new RetryClock();
  const error = new Error("one");
  for (let times = 0; times < 10; times += 1) clock.failed(error, 1000);

  expect(clock.state.left).toBe(1000);
});

it("waits while the page is hidden", async () => {
  const action = vi.fn();
  const clock = new RetryClock();
  clock.onTry(action);
  clock.failed("x", 3000);
  await vi.advanceTimersByTimeAsync(1000);
  visibility = "hidden";
  await vi.advanceTimersByTimeAsync(60_000);
  expect(action).not.toHaveBeenCalled();

  visibility = "visible";
  await vi.advanceTimersByTimeAsync(2000);
  expect(action).toHaveBeenCalledOnce();
});

it("can be stopped, and tried at once", async () => {
  const action = vi.fn();
  const clock = new RetryClock();
  clock.onTry(action);
  clock.failed("x", 3000);
  clock.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(action).not.toHaveBeenCalled();

  clock.tryNow();
  expect(clock.state.isTrying).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(action).toHaveBeenCalledOnce();
  expect(clock.state.isTrying).toBe(false);
});

it("survives an action that throws", async () => {
  const clock = new RetryClock();
  clock.onTry(() => {
    throw new Error("still broken");
  });
  clock.tryNow();
  await vi.advanceTimersByTimeAsync(0);

  expect(clock.state.isTrying).toBe(false);
});

it("does not count down for an error without a retry", () => {
  const clock = new RetryClock();
  clock.failed("x", 0);

  expect(clock.state.left).toBeNull();
});

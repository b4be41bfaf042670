import { beforeEach, expect, it, vi } from "vitest";

import { ApiError, makeError, problemOf } from "../api/errors";
import { FakeTransport, fileOf } from "./testing";
import { RETRY_SECONDS, Transfers } from "./transfers";

let transport: FakeTransport;
let transfers: Transfers;

beforeEach(() => {
  vi.useFakeTimers();
  transport = new FakeTransport();
  transfers = new Transfers(transport);
});

const states = (): string[] => transfers.all.map(({ state }) => state);
const add = (name: string, size = 1000) => transfers.add(fileOf(name, size));

it("sends two at a time, the others in order", () => {
  for (const name of ["a", "b", "c"]) add(name);
  expect(states()).toEqual(["sending", "sending", "waiting"]);

  transport.of("a").events.onDone();

  expect(states()).toEqual(["sent", "sending", "sending"]);
});

it("pauses and resumes at the same byte", () => {
  const { id } = add("a");
  transport.of("a").events.onCreated("/api/v1/uploads/1/", "video-1");
  transport.of("a").events.onProgress(400);
  transfers.pause(id);
  expect(transport.of("a").isStopped).toBe(true);
  expect(transfers.all[0]).toMatchObject({ state: "paused", sent: 400, video: "video-1" });

  transfers.resume(id);

  expect(transport.of("a").url).toBe("/api/v1/uploads/1/");
  expect(states()).toEqual(["sending"]);
});

it("starts the next one when one is paused", () => {
  const { id } = add("a");
  add("b");
  add("c");
  transfers.pause(id);

  expect(states()).toEqual(["paused", "sending", "sending"]);
});

it("resumes automatically after a broken connection, with growing delays", async () => {
  add("a");
  for (const seconds of RETRY_SECONDS) {
    transport.breakOff("a");
    expect(transfers.all[0]).toMatchObject({
      state: "interrupted",
      retryAt: Date.now() + seconds * 1000,
    });
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(states()).toEqual(["interrupted"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(states()).toEqual(["sending"]);
  }
  expect(transport.uploads).toHaveLength(RETRY_SECONDS.length + 1);
});

it("starts with short delays again once bytes were sent", () => {
  add("a");
  transport.breakOff("a");
  transfers.resumeInterrupted();
  transport.breakOff("a");
  transfers.resumeInterrupted();
  transport.of("a").events.onProgress(10);
  transport.breakOff("a");

  expect(transfers.all[0]?.retryAt).toBe(Date.now() + RETRY_SECONDS[0]! * 1000);
});

it("does not retry forever", async () => {
  add("a");
  for (let tries = 0; tries < 30; tries += 1) {
    transport.breakOff("a");
    await vi.advanceTimersByTimeAsync(60_000);
  }
  transport.breakOff("a");

  expect(transfers.all[0]).toMatchObject({ state: "interrupted", retryAt: null });
});

it("waits for the user after retrying was stopped", async () => {
  const { id } = add("a");
  transport.breakOff("a");
  transfers.stopRetrying(id);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(states()).toEqual(["interrupted"]);

  transfers.resume(id);

  expect(states()).toEqual(["sending"]);
});

it.each(["UPLOAD_QUOTA_EXCEEDED", "UPLOAD_FILE_TOO_LARGE", "UPLOAD_FORMAT_UNSUPPORTED"] as const)(
  "does not resume what the server rejects: %s",
  async (code) => {
    add("a");
    transport.of("a").events.onFail(makeError(code));
    await vi.advanceTimersByTimeAsync(600_000);

    expect(states()).toEqual(["refused"]);
    expect(transport.uploads).toHaveLength(1);
  },
);

it.each([["STORE_FULL", 507] as const, ["MAINTENANCE_MODE", 503] as const])(
  "resumes after what passes: %s",
  async (code, status) => {
    add("a");
    transport.of("a").events.onFail(new ApiError(status, problemOf(code, status)));
    await vi.advanceTimersByTimeAsync(600_000);

    expect(states()).toEqual(["sending"]);
  },
);

it("never starts a file that was rejected before", () => {
  transfers.add(fileOf("a", 1), { refusal: makeError("UPLOAD_FILE_TOO_LARGE") });

  expect(states()).toEqual(["refused"]);
  expect(transport.uploads).toHaveLength(0);
});

it("frees the storage on the server when canceled", async () => {
  const { id } = add("a");
  transport.of("a").events.onCreated("/api/v1/uploads/1/", null);
  await transfers.cancel(id);

  expect(transport.of("a").isStopped).toBe(true);
  expect(transport.removed).toEqual(["/api/v1/uploads/1/"]);
  expect(transfers.all).toEqual([]);
});

it("leaves the upload on the server when it is removed from the list", () => {
  const { id } = add("a");
  transport.of("a").events.onCreated("/api/v1/uploads/1/", null);
  transport.of("a").events.onDone();
  transfers.forget(id);

  expect(transport.removed).toEqual([]);
});

it("measures the speed of the last seconds", async () => {
  add("a", 100_000);
  for (let second = 1; second <= 10; second += 1) {
    await vi.advanceTimersByTimeAsync(1000);
    transport.of("a").events.onProgress(second * 500);
  }

  expect(transfers.all[0]?.speed).toBeCloseTo(500, 0);
});

it("notifies listeners of progress at most four times a second, and of changes at once", async () => {
  add("a");
  const told = vi.fn();
  transfers.subscribe(told);
  for (let bytes = 1; bytes <= 100; bytes += 1) transport.of("a").events.onProgress(bytes);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(250);
  expect(told).toHaveBeenCalledOnce();

  transport.of("a").events.onDone();
  expect(told).toHaveBeenCalledTimes(2);
});

it("says whether leaving would stop something", () => {
  const { id } = add("a");
  expect(transfers.isBusy).toBe(true);
  transfers.pause(id);
  expect(transfers.isBusy).toBe(false);
});

import { beforeEach, expect, it, vi } from "vitest";

import { setStage } from "./testing/page";
import { bytesOf, problem, REFUSAL } from "./testing/server";
import { openTab, queue, readMedia, signIn, stateOf, until } from "./testing/tab";
import type { Account } from "./types";

const DAY_MS = 86_400_000;

const stage = setStage();
let account: Account;
beforeEach(async () => {
  stage.server.addLesson("l1", [{ name: "a.m4s", bytes: bytesOf(100) }]);
  stage.server.addLesson("l2", [{ name: "a.m4s", bytes: bytesOf(50) }]);
  await queue(stage.tab, stage.server, "l1", "l2");
  await until(async () => (await stateOf(stage.tab, "l2")) === "downloaded");
  account = (await stage.tab.readAccount())!;
});

const lesson = async (uid: string) => (await stage.tab.readLesson(account, uid))!;
const mediaStatus = async (uid: string) => (await readMedia(stage.tab, uid, "a.m4s")).status;

/** Time goes on, for the server and for the device. */
function pass(days: number): void {
  stage.server.now += days * DAY_MS;
  vi.setSystemTime(Date.now() + days * DAY_MS);
  signIn(stage.tab, "ada"); // with a token of today
}

it("renews silently what may stay", async () => {
  pass(20);
  expect(await stage.tab.checkIn(account)).toEqual({ renewed: 2, ended: [] });
  pass(20);
  expect((await lesson("l1")).state).toBe("downloaded");
  expect(await mediaStatus("l1")).toBe(200);
});

it("shows what has expired as such, keeps it unreadable, and renews it with a check-in", async () => {
  pass(31);
  expect((await lesson("l1")).state).toBe("expired");
  expect(await stage.tab.readPackage(account, "l1")).toBeNull();
  expect(await mediaStatus("l1")).toBe(410);
  expect(await (await stage.tab.openDatabase()).count("pieces")).toBe(2);

  await stage.tab.checkIn(account);
  expect((await lesson("l1")).state).toBe("downloaded");
  expect(await mediaStatus("l1")).toBe(200);
});

it("renews an expired lesson with one press", async () => {
  pass(31);
  stage.server.requests = [];
  await stage.tab.renewLessons(account, ["l1"]);
  await until(async () => (await lesson("l1")).state === "downloaded");
  expect(stage.server.requests.filter((line) => line.includes("/media/l"))).toEqual([]);
  expect((await lesson("l2")).state).toBe("expired");
});

it("deletes at once what has ended, and keeps the reason for the list", async () => {
  stage.server.lessons.get("l1")!.refusal = REFUSAL;
  stage.server.lessons.delete("l2");
  expect(await stage.tab.checkIn(account)).toEqual({ renewed: 0, ended: ["l1", "l2"] });

  expect(await lesson("l1")).toMatchObject({ state: "ended", refusal: REFUSAL, received: 0 });
  const database = await stage.tab.openDatabase();
  expect(await database.count("pieces")).toBe(0);
  expect(await database.count("packages")).toBe(0);
  expect(await mediaStatus("l1")).toBe(404);
  expect((await stage.tab.checkIn(account))!.ended).toEqual([]); // it is asked for no more

  stage.server.lessons.get("l1")!.refusal = null;
  await stage.tab.retryLesson(account, "l1");
  await until(async () => (await lesson("l1")).state === "downloaded");
});

it("learns what was done with another browser, and fetches the page alone", async () => {
  stage.server.completed = ["l1", "elsewhere"];
  const changed = stage.server.lessons.get("l1")!;
  Object.assign(changed, { state: "p2", html: "<p>With a new note</p>" });
  stage.server.requests = [];
  await stage.tab.checkIn(account);
  expect((await lesson("l1")).isCompleted).toBe(true);
  expect((await lesson("l2")).isCompleted).toBe(false);
  expect(await stage.tab.readValue(account, "completed")).toEqual(["l1", "elsewhere"]);

  await stage.tab.runDownloads();
  expect((await stage.tab.readPackage(account, "l1"))!.page.html).toContain("With a new note");
  expect(stage.server.requests.filter((line) => /\/media\/l|lessons\/l2/.test(line))).toEqual([]);
  await stage.tab.checkIn(account);
  expect((await stage.tab.records.readRecord("ada", "l1"))!.isOutdated).toBe(false);
  stage.server.completed = [];
  await stage.tab.checkIn(account);
  expect((await lesson("l1")).isCompleted).toBe(false);
});

it("ends a lesson while it is being stored", async () => {
  stage.server.addLesson("l3", [{ name: "a.m4s", bytes: bytesOf(100) }]);
  stage.server.onChunk = () => new Promise(() => undefined);
  await queue(stage.tab, stage.server, "l3");
  await until(() => stage.server.requests.some((line) => line.includes("/media/l3/")));
  stage.server.lessons.get("l3")!.refusal = REFUSAL;
  await stage.tab.checkIn(account);
  await until(() => !stage.browser.locks.isHeld("study-offline-downloads"));
  expect(await stateOf(stage.tab, "l3")).toBe("ended");
});

it("is not prolonged by a clock that is set back", async () => {
  pass(29);
  expect((await lesson("l1")).state).toBe("downloaded"); // it was seen
  vi.setSystemTime(Date.now() - 365 * DAY_MS);
  expect((await lesson("l1")).state).toBe("downloaded");
  const seen = await stage.tab.readNow();
  vi.setSystemTime(Date.now() + 365 * DAY_MS + 2 * DAY_MS);
  expect((await lesson("l1")).state).toBe("expired");
  expect(await stage.tab.readNow()).toBeGreaterThan(seen);
});

it("goes on from what was seen where the clock is set back, and believes it again once it is right", async () => {
  pass(29);
  const seen = await stage.tab.readNow();
  vi.setSystemTime(Date.now() - 365 * DAY_MS);
  expect(await stage.tab.readNow()).toBeGreaterThanOrEqual(seen);
  vi.setSystemTime(Date.now() + 0.5 * DAY_MS);
  expect((await lesson("l1")).state).toBe("downloaded");
  vi.setSystemTime(Date.now() - 90 * DAY_MS); // once more
  expect((await lesson("l1")).state).toBe("downloaded");
  vi.setSystemTime(Date.now() + 0.4 * DAY_MS);
  expect((await lesson("l1")).state).toBe("downloaded");
  // Put right after nine tenths of a day: not a year later.
  vi.setSystemTime(Date.now() + (365 + 90) * DAY_MS);
  expect(Math.abs((await stage.tab.readNow()) - seen - 0.9 * DAY_MS)).toBeLessThan(60_000);
  vi.setSystemTime(Date.now() - 365 * DAY_MS);
  await stage.tab.readNow();
  vi.setSystemTime(Date.now() + 0.2 * DAY_MS);
  expect((await lesson("l1")).state).toBe("expired");
});

it("expires by a clock that is wrong by a month, deletes nothing, and is put right by a contact", async () => {
  vi.setSystemTime(Date.now() + 32 * DAY_MS); // only the device's clock
  expect((await lesson("l1")).state).toBe("expired");
  const tab = (stage.tab = await openTab());
  expect((await lesson("l1")).state).toBe("expired");

  await tab.checkIn(account);
  expect((await lesson("l1")).state).toBe("downloaded");
  expect(Math.abs((await tab.readNow()) - stage.server.now)).toBeLessThan(5000);
  // The clock is put right as well: what is stored stays until its time.
  vi.setSystemTime(Date.now() - 32 * DAY_MS);
  expect((await lesson("l1")).state).toBe("downloaded");
});

it("changes nothing when the server is not reached, fails or asks to wait", async () => {
  for (const answer of [
    "lost" as const,
    problem(503, "SERVER_ERROR"),
    problem(429, "RATE_LIMIT_EXCEEDED"),
  ]) {
    stage.server.intercept = (path) => (path.includes("/check-in/") ? answer : undefined);
    expect(await stage.tab.checkIn(account)).toBeNull();
  }
  expect((await lesson("l1")).state).toBe("downloaded");
  expect(await stage.tab.readAccount()).not.toBeNull();
});

it("names no lesson that has ended, and at most as many at once as the server takes", async () => {
  const bodies: string[][] = [];
  stage.server.intercept = async (path, request) => {
    if (path.includes("/check-in/"))
      bodies.push(((await request.clone().json()) as { lessons: string[] }).lessons);
    return undefined;
  };
  const database = await stage.tab.openDatabase();
  const record = (await database.get("lessons", ["ada", "l1"]))!;
  for (let index = 0; index < 1001; index += 1)
    await database.put("lessons", {
      ...record,
      uid: `x${index}`,
      state: index === 0 ? "ended" : "paused",
    });
  await stage.tab.checkIn(account);
  expect(bodies.map(({ length }) => length)).toEqual([1000, 2]);
  expect(bodies.flat()).not.toContain("x0");
});

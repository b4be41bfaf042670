import { beforeEach, expect, it, vi } from "vitest";

import { mergeWatched } from "./mergeWatched";
import { setStage } from "./testing/page";
import { problem } from "./testing/server";
import { openTab, until } from "./testing/tab";
import type { Account, Change, Question } from "./types";

const stage = setStage();
let account: Account;
beforeEach(async () => {
  account = await stage.tab.startAccount("ada");
});

const uid = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const at = (second: number): string => new Date(1_795_000_000_000 + second * 1000).toISOString();

function watched(id: number, pairs: number[][], { lesson = "l1", from = 0, to = 10 } = {}): Change {
  const position = pairs.at(-1)![1]!;
  const what = { position, watched: pairs, began_at: at(from) };
  return { id: uid(id), kind: "watched", lesson, made_at: at(to), watched: what };
}

function completed(id: number, lesson = "l1"): Change {
  return {
    id: uid(id),
    kind: "completed",
    lesson,
    made_at: at(id),
    completed: { opened_at: at(0) },
  };
}

const add = (change: Change, title = "A lesson") => stage.tab.addChange(account, change, title);
const list = async () => (await stage.tab.listChanges(account)).map(({ change }) => change);
const ids = (changes: Change[]) => changes.map(({ id }) => Number(id.slice(-3)));
const sent = () => stage.server.requests.filter((line) => line.includes("/changes/"));

it("adds what is watched of a lesson to the change that waits for it", async () => {
  await add(watched(1, [[0, 10]], { from: 0, to: 10 }));
  await add(completed(2));
  await add(watched(3, [[30, 40]], { lesson: "l2" }));
  await add(
    watched(
      4,
      [
        [8, 20],
        [50, 60],
      ],
      { from: 100, to: 120 },
    ),
  );

  const changes = await list();
  expect(ids(changes)).toEqual([1, 2, 3]);
  expect(changes[0]).toMatchObject({
    made_at: at(120),
    watched: {
      watched: [
        [0, 20],
        [50, 60],
      ],
      position: 60,
      began_at: at(0),
    },
  });
});

it("leaves time for both where the clock was set back between them", () => {
  const before = watched(1, [[0, 10]], { from: 1000, to: 1600 });
  const after = watched(2, [[10, 20]], { from: 1500, to: 1550 });
  const began = Date.parse(mergeWatched(before, after)!.watched!.began_at);
  expect(began).toBeLessThanOrEqual(Date.parse(at(1550)) - 650_000);
});

it("begins another change before one gets more pairs than the server takes", async () => {
  const pairs = (from: number) =>
    Array.from({ length: 300 }, (_, index) => [from + index * 2, from + index * 2 + 1]);
  await add(watched(1, pairs(0)));
  await add(watched(2, pairs(10_000)));
  expect((await list()).map((change) => change.watched!.watched.length)).toEqual([300, 300]);
});

it("does not touch what was handed to a request, as the server may have it", async () => {
  await add(watched(1, [[0, 10]]));
  stage.server.intercept = (path) => (path.includes("/changes/") ? "unheard" : undefined);
  expect(await stage.tab.sendChanges(account)).toEqual({
    taken: 0,
    refused: [],
    results: [],
    waiting: 1,
    isLost: true,
  });
  await add(watched(2, [[10, 20]]));
  expect(ids(await list())).toEqual([1, 2]);

  stage.server.intercept = () => undefined;
  expect(await stage.tab.sendChanges(account)).toMatchObject({ taken: 2, waiting: 0 });
  // The first arrived twice and was taken once, as it was handed the first time.
  expect(stage.server.applied.map(({ watched: what }) => what!.watched)).toEqual([
    [[0, 10]],
    [[10, 20]],
  ]);
});

it("sends all in order, fifty at a time and never too large", async () => {
  for (let id = 1; id <= 120; id += 1) await add(completed(id, `l${id}`));
  const report = await stage.tab.sendChanges(account);
  expect(report).toEqual({ taken: 120, refused: [], results: [], waiting: 0 });
  expect(ids(stage.server.applied)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  expect(sent()).toHaveLength(3);
  expect(await list()).toEqual([]);

  const content = "x".repeat(40_000);
  for (let id = 201; id <= 203; id += 1) await add({ ...completed(id), lesson: content });
  await stage.tab.sendChanges(account);
  expect(sent()).toHaveLength(6);
});

it("keeps what an attempt asked, so that its answers can be read", async () => {
  const asked = [{ uid: "q1", prompt_html: "What kind of fault?" }] as unknown as Question[];
  await stage.tab.addChange(account, { ...completed(1), kind: "attempt" }, "The quiz", asked);

  const [change] = await stage.tab.listChanges(account);
  expect(change).toMatchObject({ title: "The quiz", asked });
});

it("reports the results of attempts that were marked", async () => {
  stage.server.judge = ({ id }) => (id === uid(1) ? { percent: 80, is_passed: true } : {});
  for (const id of [1, 2]) await add(completed(id, `l${id}`), `Lesson ${id}`);

  const { results } = await stage.tab.sendChanges(account);
  expect(results).toEqual([{ title: "Lesson 1", percent: 80, isPassed: true }]);
});

it("loses and doubles nothing when the tab is closed between the response and the deletion", async () => {
  await add(completed(1));
  stage.server.intercept = (path) => (path.includes("/changes/") ? "unheard" : undefined);
  await stage.tab.sendChanges(account);
  stage.server.intercept = () => undefined;
  const tab = (stage.tab = await openTab());
  expect(await tab.sendChanges((await tab.readAccount())!)).toMatchObject({ taken: 1, waiting: 0 });
  expect(ids(stage.server.applied)).toEqual([1]);
});

it("keeps what was refused with its reason until it is dismissed, and sends it no more", async () => {
  const refusal = {
    code: "NO_ATTEMPTS_LEFT",
    title: "No attempts left",
    message: "You have used them.",
  };
  stage.server.judge = ({ id }) => (id === uid(2) ? { state: "refused", refusal } : {});
  for (const id of [1, 2, 3]) await add(completed(id, `l${id}`), `Lesson ${id}`);

  const report = await stage.tab.sendChanges(account);

  expect(report.taken).toBe(2);
  expect(report.refused).toMatchObject([{ title: "Lesson 2", refusal }]);
  expect(await stage.tab.listChanges(account)).toMatchObject([{ title: "Lesson 2", refusal }]);
  expect(await stage.tab.sendChanges(account)).toEqual({
    taken: 0,
    refused: [],
    results: [],
    waiting: 0,
  });
  expect(sent()).toHaveLength(1);
  await stage.tab.removeChange(account, uid(2));
  expect(await list()).toEqual([]);
});

it("sends later what the server wants later, says why, and goes on with the others", async () => {
  const refusal = { code: "READING_TOO_SHORT", title: "Read on", message: "Wait." };
  stage.server.judge = ({ id }) => (id === uid(1) ? { state: "later", wait: 40, refusal } : {});
  await add(completed(1, "l1"));
  await add(completed(2, "l2"));

  expect(await stage.tab.sendChanges(account)).toEqual({
    taken: 1,
    refused: [],
    results: [],
    waiting: 1,
  });
  expect(await stage.tab.listChanges(account)).toMatchObject([{ refusal: null, delay: refusal }]);
  expect(await stage.tab.nextSendingIn(account)).toBeGreaterThan(30_000);
  await stage.tab.sendChanges(account);
  expect(sent()).toHaveLength(1);

  stage.server.judge = () => ({});
  vi.setSystemTime(Date.now() + 41_000);
  expect(await stage.tab.sendChanges(account)).toMatchObject({ taken: 1, waiting: 0 });
  expect(await stage.tab.nextSendingIn(account)).toBeNull();
});

it("does not wait for years because the clock was set back", async () => {
  stage.server.judge = () => ({ state: "later", wait: 40 });
  await add(completed(1));
  await stage.tab.sendChanges(account);
  stage.server.judge = () => ({});
  vi.setSystemTime(Date.now() - 40 * 86_400_000);
  expect(await stage.tab.sendChanges(account)).toMatchObject({ taken: 1 });
});

it("finds the one change for which a request is refused, and sends the others", async () => {
  for (let id = 1; id <= 5; id += 1) await add(completed(id, `l${id}`));
  stage.server.intercept = async (path, request) => {
    if (!path.includes("/changes/")) return undefined;
    const text = await request.clone().text();
    return text.includes(uid(4)) ? problem(400, "VALIDATION_FAILED") : undefined;
  };
  const report = await stage.tab.sendChanges(account);
  expect(report.taken).toBe(4);
  expect(ids(report.refused.map(({ change }) => change))).toEqual([4]);
});

it("sends and lists the others where a change can't be read", async () => {
  for (const id of [1, 2, 3]) await add(completed(id, `l${id}`));
  const database = await stage.tab.openDatabase();
  const [spoiled] = await database.getAll("outbox");
  const sealed = { ...spoiled!.sealed, iv: new Uint8Array(12) };
  await database.put("outbox", { ...spoiled!, sealed });
  expect(ids(await list())).toEqual([2, 3]);
  expect(await stage.tab.sendChanges(account)).toMatchObject({ taken: 2 });
  expect(await stage.tab.nextSendingIn(account)).toBeGreaterThan(3_600_000);
});

it("sends what waits while the storage is full", async () => {
  await add(completed(1));
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
    throw new DOMException("Full", "QuotaExceededError");
  });
  expect(await stage.tab.sendChanges(account)).toMatchObject({ taken: 1, waiting: 0 });
});

it("waits as long as the server asks for when there were too many", async () => {
  await add(completed(1));
  stage.server.intercept = (path) => {
    if (!path.includes("/changes/")) return undefined;
    const answer = problem(429, "RATE_LIMIT_EXCEEDED");
    answer.headers.set("Retry-After", "90");
    return answer;
  };
  expect(await stage.tab.sendChanges(account)).toEqual({
    taken: 0,
    refused: [],
    results: [],
    waiting: 1,
  });
  expect(await stage.tab.nextSendingIn(account)).toBeGreaterThan(80_000);
});

it("never sends the same twice at once from two tabs", async () => {
  const other = await openTab();
  for (let id = 1; id <= 60; id += 1) await add(completed(id, `l${id}`));
  const reports = await Promise.all([stage.tab.sendChanges(account), other.sendChanges(account)]);
  expect(reports.map(({ taken }) => taken).sort()).toEqual([0, 60]);
  expect(sent()).toHaveLength(2);
  await other.closeDatabase();
});

it("adds to a change while it is being handed to a request, without losing either", async () => {
  await add(watched(1, [[0, 10]]));
  const adding = Array.from({ length: 8 }, (_, index) =>
    add(watched(index + 2, [[100 + index * 10, 105 + index * 10]])),
  );
  await stage.tab.sendChanges(account);
  await Promise.all(adding);
  await stage.tab.sendChanges(account);

  const seconds = new Set<number>();
  for (const { watched: what } of stage.server.applied)
    for (const [from, to] of what!.watched)
      for (let second = from!; second < to!; second += 1) seconds.add(second);
  expect(seconds.size).toBe(10 + 8 * 5);
  expect(await list()).toEqual([]);
});

it("tells all tabs what came of it", async () => {
  const other = await openTab();
  const heard: unknown[] = [];
  const stop = other.subscribeToLibrary((event) => {
    if (event.kind === "synced") heard.push(event.report);
  });
  await add(completed(1));
  await stage.tab.sendChanges(account);
  await until(() => heard.length > 0);
  expect(heard).toEqual([{ taken: 1, refused: [], results: [], waiting: 0 }]);
  stop();
  await other.closeDatabase();
});

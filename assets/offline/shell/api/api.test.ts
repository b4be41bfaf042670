import { beforeEach, expect, it } from "vitest";

import { settleAll } from "../settle";
import { call, forgetLocks, MemoryStore, packageOf, pageOf, playerProps, T0 } from "../testing";
import type { OfflinePractice } from "../store";
import { makeAnswer } from "./answer";

let store: MemoryStore;
const ask = (method: string, path: string, body?: unknown) =>
  call(makeAnswer(store), method, `/api/v1${path}`, body);
const watch = (uid: string, position: number, watched: number[][]) =>
  ask("POST", `/lessons/${uid}/progress/`, { position, watched, at: null });

beforeEach(() => {
  forgetLocks();
  store = new MemoryStore();
  const rows: [string, string, string][] = [
    ["done", "Done", "lesson--done"],
    ["video", "Vectors", "lesson--now"],
    ["text", "Reading", ""],
    ["last", "Last", "lock"],
  ];
  const video = playerProps("video", { watched: [[0, 30]], watched_seconds: 30 });
  store.add(packageOf("video", "video", pageOf(video, rows)));
  const text = `<div data-reading-end="text" data-wait="60"><button data-complete>Done</button></div>`;
  store.add(packageOf("text", "text", pageOf(text, rows)));
  store.add(packageOf("last", "video", pageOf(playerProps("last"), rows), { requires: ["text"] }));
});

it("leaves what it doesn't know to the server", async () => {
  expect(await ask("GET", "/lessons/unknown/player/")).toBeNull();
  expect(await ask("POST", "/offline/devices/d/changes/", { changes: [] })).toBeNull();
  // A rating that a page with a connection has left, of a card that isn't here: it must not be refused.
  store.practice = { practice: { cards: [] }, solutions: [] } as unknown as OfflinePractice;
  const review = { key: "k", turn: 2, rating: 3 };
  expect(await ask("POST", "/practice/cards/card-9/reviews/", review)).toBeNull();
  expect(
    await makeAnswer(store)(new Request("https://elsewhere.test/api/v1/practice/")),
  ).toBeNull();
});

it("completes a video when nine tenths were watched, here and before together", async () => {
  store.time = T0 + 40_000;
  const some = await watch("video", 60, [[30, 60]]);
  expect(some?.data).toMatchObject({
    completed: false,
    newly_completed: false,
    completed_lessons: 1,
  });
  store.time = T0 + 80_000;
  const most = await watch("video", 91, [[30, 91]]);
  expect(most?.data).toMatchObject({
    completed: true,
    newly_completed: true,
    completed_lessons: 2,
    course_percent: 50,
    watched_seconds: 91,
  });
  expect((await watch("video", 92, [[30, 92]]))?.data).toMatchObject({ newly_completed: false });
  const player = await ask("GET", "/lessons/video/player/");
  expect(player?.data).toMatchObject({ position: 92, completed: true, watched: [[0, 92]] });
});

it("makes one change of what was watched since the last, with its evidence", async () => {
  store.time = T0 + 20_000;
  await watch("video", 20, [[30, 50]]);
  store.time = T0 + 25_000;
  await watch("video", 25, [[30, 55]]);
  expect(store.changes).toEqual([]);
  await settleAll(store);
  expect(store.changes.map(({ change }) => change)).toMatchObject([
    {
      kind: "watched",
      lesson: "video",
      made_at: "2026-03-10T18:40:25.000Z",
      watched: { position: 25, watched: [[30, 55]], began_at: "2026-03-10T18:40:00.000Z" },
    },
  ]);
  // The page reports all of its seconds again: only the new ones make another change.
  store.time = T0 + 30_000;
  await watch("video", 30, [[30, 60]]);
  await settleAll(store);
  expect(store.changes[1]?.change.watched?.watched).toEqual([[55, 60]]);
  await settleAll(store);
  expect(store.changes).toHaveLength(2);
});

it("completes a text after the time that reading takes, once", async () => {
  await store.changeLocal("text", (known) => ({ ...known, openedAt: T0 }));
  store.time = T0 + 30_000;
  const early = await ask("POST", "/lessons/text/complete/");
  expect(early).toMatchObject({
    status: 409,
    data: { code: "READING_TOO_SHORT", params: { wait: 30 } },
  });
  store.time = T0 + 60_000;
  const done = await ask("POST", "/lessons/text/complete/");
  expect(done?.data).toMatchObject({
    completed: true,
    newly_completed: true,
    completed_lessons: 2,
  });
  expect((await ask("POST", "/lessons/text/complete/"))?.data).toMatchObject({
    newly_completed: false,
  });
  expect(store.changes.map(({ change }) => change)).toMatchObject([
    { kind: "completed", lesson: "text", completed: { opened_at: new Date(T0).toISOString() } },
  ]);
});

it("tells the outline as it is here, and opens what a completion unlocks", async () => {
  const stateOf = async (): Promise<unknown[]> => {
    const answer = await ask("GET", "/courses/algebra/outline/");
    const sections = answer?.data.sections as { lessons: { uid: string; state: string }[] }[];
    return sections[0]!.lessons.map(({ uid, state }) => [uid, state]);
  };
  expect(await stateOf()).toContainEqual(["last", "locked"]);
  await store.changeLocal("text", (known) => ({ ...known, isCompleted: true }));
  expect(await stateOf()).toEqual([
    ["done", "completed"],
    ["video", "available"],
    ["text", "completed"],
    ["last", "available"],
  ]);
});

it("keeps notes, merged with those of the package, and makes one change of each", async () => {
  const edit = (text: string, revision: number) => ({
    key: "editor",
    at: T0,
    is_deleted: false,
    text,
    revision,
  });
  const put = (text: string, revision: number) =>
    ask("PUT", "/lessons/video/notes/note-1/", {
      kind: "note",
      second: 6,
      edits: [edit(text, revision)],
      replaced: [],
    });
  await put("Floor", 1);
  store.time += 1000;
  const saved = await put("Floor fixed", 2);
  expect(saved?.data).toMatchObject({ uid: "note-1", text: "Floor fixed", html: "", second: 6 });
  const list = await ask("GET", "/lessons/video/notes/?page=1");
  expect(list?.data).toMatchObject({ next: null, results: [{ text: "Floor fixed" }] });
  await settleAll(store);
  expect(store.changes.map(({ change }) => change.note)).toMatchObject([
    { uid: "note-1", edits: [{ text: "Floor fixed", revision: 2 }] },
  ]);
  await put("", 3);
  await settleAll(store);
  expect(store.changes).toHaveLength(2);
});

import { beforeEach, expect, it, vi } from "vitest";

import { forgetClock, startClock } from "../attemptClock";
import { settleAll } from "../settle";
import { call, forgetLocks, MemoryStore, packageOf, T0 } from "../testing";
import { makeAnswer } from "./answer";

let store: MemoryStore;
const ask = (method: string, path: string, body?: unknown) =>
  call(makeAnswer(store), method, path, body);
const getQuiz = async () => (await ask("GET", "/api/v1/lessons/quiz/quiz/"))!.data;
const open = () => ask("POST", "/api/v1/lessons/quiz/attempts/");
const keep = (answers: object) =>
  ask("PUT", "/offline/attempts/paper-1/", { answers, flags: ["q1"] });
const submit = (answers: object) => ask("POST", "/api/v1/attempts/paper-1/submit/", { answers });
/** Let time pass in this page, on both clocks of the device. */
const pass = (seconds: number): void => {
  store.time += seconds * 1000;
  vi.advanceTimersByTime(seconds * 1000);
};
/** The page is closed, and another one is opened. */
const closeFor = (seconds: number): void => {
  forgetClock();
  vi.clearAllTimers();
  store.time += seconds * 1000;
};

const question = { uid: "q1", kind: "truth", gaps: [], options: [], left: [], right: [] };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "Date", "performance"] });
  vi.setSystemTime(T0);
  forgetClock();
  forgetLocks();
  store = new MemoryStore();
  const paper = {
    uid: "paper-1",
    number: 1,
    questions: [question],
    answers: {},
    time_limit: 600,
    started_at: "",
    submitted_at: null,
    seconds_left: 600,
    pass_percent: 70,
    continues: null,
    result: null,
  };
  const quiz = {
    lesson_uid: "quiz",
    attempt: null,
    may_attempt: true,
    attempts_left: 2,
    wait: 0,
    past: [],
    time_limit: 600,
  };
  store.add(packageOf("quiz", "quiz", "", { quiz, paper } as never));
});

it("opens the sealed paper as an attempt whose time begins then", async () => {
  expect(await getQuiz()).toMatchObject({
    attempt: null,
    may_attempt: true,
    offline: { kept_at: null, refusal: null },
  });
  store.time += 60_000;
  const opened = await open();
  expect(opened).toMatchObject({
    status: 201,
    data: { uid: "paper-1", seconds_left: 600, started_at: "2026-03-10T18:41:00.000Z" },
  });
  pass(10);
  expect(await getQuiz()).toMatchObject({ attempt: { seconds_left: 590 }, may_attempt: false });
});

it("keeps every answer through a closed page, whose time counts", async () => {
  await open();
  pass(20);
  await keep({ q1: { value: true } });
  closeFor(100);
  expect(await getQuiz()).toMatchObject({
    attempt: { seconds_left: 480, given: { answers: { q1: { value: true } }, flags: ["q1"] } },
  });
});

it("submits once, and shows that it is kept", async () => {
  await open();
  pass(42);
  const done = await submit({ q1: { value: true } });
  expect(done).toMatchObject({
    status: 200,
    data: { submitted_at: "2026-03-10T18:40:42.000Z", result: null, progress: null, questions: [] },
  });
  await submit({ q1: { value: false } });
  expect(store.changes.map(({ change }) => change)).toMatchObject([
    {
      kind: "attempt",
      lesson: "quiz",
      made_at: "2026-03-10T18:40:42.000Z",
      attempt: { paper: "paper-1", seconds: 42, answers: { q1: { value: true } } },
    },
  ]);
  expect(await getQuiz()).toMatchObject({
    may_attempt: false,
    attempts_left: 1,
    offline: { kept_at: "2026-03-10T18:40:42.000Z" },
  });
  expect(await open()).toMatchObject({ status: 409 });
});

it("submits as it is at 0:00 while the page is closed, a month later too", async () => {
  await open();
  pass(20);
  await keep({ q1: { value: true } });
  closeFor(30 * 86_400);
  await settleAll(store);
  expect(store.changes.map(({ change }) => change)).toMatchObject([
    {
      made_at: "2026-03-10T18:50:00.000Z",
      attempt: { seconds: 600, answers: { q1: { value: true } } },
    },
  ]);
  await settleAll(store);
  expect(store.changes).toHaveLength(1);
  expect(await getQuiz()).toMatchObject({ offline: { kept_at: "2026-03-10T18:50:00.000Z" } });
});

it("leaves an attempt without a time limit open", async () => {
  const pack = store.packages.get("quiz")!;
  pack.paper!.time_limit = 0;
  await open();
  closeFor(5 * 86_400);
  await settleAll(store);
  expect(store.changes).toEqual([]);
  expect(await getQuiz()).toMatchObject({ attempt: { submitted_at: null, seconds_left: null } });
});

it("measures an open page by its own clock when the device's is put forward or back", async () => {
  await open();
  pass(10);
  await getQuiz();
  vi.setSystemTime(T0 + 40 * 86_400_000);
  pass(5);
  expect(await getQuiz()).toMatchObject({ attempt: { seconds_left: 585 } });
  vi.setSystemTime(T0 - 40 * 86_400_000);
  pass(5);
  expect(await getQuiz()).toMatchObject({ attempt: { seconds_left: 580 } });
});

it("queues the same change again if the page died between submitting and queueing", async () => {
  await open();
  store.addChange = () => Promise.reject(new Error("the tab was killed"));
  await expect(submit({ q1: { value: true } })).rejects.toThrow();
  const { change } = store.local.get("quiz")!.attempt!;
  store.addChange = (made, title) => {
    store.changes.push({ change: made, title, refusal: null });
    return Promise.resolve();
  };
  await settleAll(store);
  expect(store.changes.map((one) => one.change.id)).toEqual([change]);
});

it("says why there is no attempt, and takes no other", async () => {
  const pack = store.packages.get("quiz")!;
  pack.paper = null;
  pack.paper_refusal = { code: "X", title: "No", message: "Another device has it." };
  expect(await getQuiz()).toMatchObject({
    may_attempt: false,
    offline: { refusal: { message: "Another device has it." } },
  });
  expect(await open()).toMatchObject({ status: 409, data: { detail: "Another device has it." } });
});

it("offers the next paper once the server has marked the attempt", async () => {
  await open();
  await submit({});
  const pack = store.packages.get("quiz")!;
  const now = new Date(store.time + 60_000).toISOString();
  store.packages.set("quiz", { ...pack, now, paper: { ...pack.paper!, uid: "paper-2" } });
  expect(await getQuiz()).toMatchObject({ attempt: null, may_attempt: true });
});

it("shows an attempt while the storage is full, and counts its time once there is room", async () => {
  await open();
  pass(10);
  const { changeLocal } = store;
  store.changeLocal = () => Promise.reject(new DOMException("Full", "QuotaExceededError"));
  expect(await getQuiz()).toMatchObject({ attempt: { uid: "paper-1" } });
  pass(20);
  store.changeLocal = changeLocal;
  expect(await getQuiz()).toMatchObject({ attempt: { seconds_left: 570 } });
});

it("waits for no clock where another attempt can't be written", async () => {
  await open();
  closeFor(0);
  const request = (_name: string, _options: object, work: (lock: object) => Promise<void>) =>
    work({});
  Object.defineProperty(navigator, "locks", { configurable: true, value: { request } });
  store.changeLocal = () => Promise.reject(new DOMException("Full", "QuotaExceededError"));
  await expect(startClock(store, "quiz")).resolves.toBeUndefined();
  forgetLocks();
});

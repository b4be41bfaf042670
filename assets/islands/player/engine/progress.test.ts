import { beforeEach, expect, it, vi } from "vitest";

import {
  StoredProgress,
  resumePosition,
  type Progress,
  ProgressSender,
  type Saved,
  ThrottledSink,
} from "./progress";

const at = (position: number): Progress => ({
  position,
  watched: [[0, position]],
  at: new Date(Date.UTC(2026, 10, 20) + position * 1000).toISOString(),
});
const saved: Saved = {
  completed: false,
  newly_completed: false,
  course_percent: 10,
  completed_lessons: 1,
  certificate_url: null,
  milestone: null,
};

class Refused extends Error {}

beforeEach(() => {
  vi.useFakeTimers();
});

it("reports long playback in steps, and the rest on leaving", () => {
  const sent: number[] = [];
  const sink = new ThrottledSink(({ position }) => sent.push(position), 5000);
  for (let second = 1; second <= 13; second += 1) {
    vi.advanceTimersByTime(1000);
    sink.save(at(second));
  }
  sink.flush();

  expect(sent).toEqual([6, 11, 13]);
});

it("reports nothing twice", () => {
  const send = vi.fn();
  const sink = new ThrottledSink(send);
  sink.save(at(1));
  sink.flush();
  sink.flush();

  expect(send).toHaveBeenCalledOnce();
});

function sender(post: (lesson: string, progress: Progress) => Promise<Saved>, lesson = "a") {
  const kept = new StoredProgress(localStorage, "ada");
  const posted = vi.fn((uid: string, progress: Progress) => post(uid, progress));
  const onSaved = vi.fn();
  const onRefused = vi.fn();
  const isTemporary = (reason: unknown): boolean => !(reason instanceof Refused);
  const calls = { post: posted, onSaved, onRefused, isTemporary };
  return { kept, posted, onSaved, onRefused, it: new ProgressSender(lesson, kept, calls) };
}
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

it("sends progress and removes what has arrived", async () => {
  const one = sender(() => Promise.resolve(saved));
  one.it.send(at(5));
  expect(one.kept.all()).toEqual({ a: at(5) });
  await settle();

  expect(one.posted).toHaveBeenCalledOnce();
  expect(one.onSaved).toHaveBeenCalledExactlyOnceWith(saved);
  expect(one.kept.all()).toEqual({});
});

it("sends one at a time, and only the newest of those waiting", async () => {
  const answers: (() => void)[] = [];
  const one = sender(() => new Promise((resolve) => answers.push(() => resolve(saved))));
  for (const second of [5, 10, 15]) one.it.send(at(second));
  expect(one.posted).toHaveBeenCalledOnce();
  answers[0]?.();
  await settle();
  answers[1]?.();
  await settle();

  expect(one.posted.mock.calls.map(([, { position }]) => position)).toEqual([5, 15]);
});

it("stores progress that cannot be sent and sends it along later", async () => {
  let isOnline = false;
  const one = sender(() => (isOnline ? Promise.resolve(saved) : Promise.reject(new Error("off"))));
  one.it.send({ ...at(5), watched: [[0, 5]] });
  await settle();
  expect(one.kept.all()).toEqual({ a: { ...at(5), watched: [[0, 5]] } });

  isOnline = true;
  one.it.send({ ...at(90), watched: [[80, 90]] });
  await settle();
  expect(one.kept.all()).toEqual({});
  const all = { ...at(90), watched: [[0, 5], [80, 90]] }; // prettier-ignore
  expect(one.posted).toHaveBeenLastCalledWith("a", all, { isLeaving: false });
});

it("joins what two pages have watched, in any order", () => {
  const one: Progress = { ...at(5), watched: [[0, 5]] };
  const two: Progress = { ...at(40), watched: [[3, 9]] };
  for (const order of ["12", "21", "121"]) {
    localStorage.clear();
    const kept = new StoredProgress(localStorage, "ada");
    for (const each of order) kept.add("a", each === "1" ? one : two);
    expect(kept.all()).toEqual({ a: { ...at(40), watched: [[0, 9]] } });
  }
});

it("does not remove progress newer than what has arrived", () => {
  const kept = new StoredProgress(localStorage, "ada");
  kept.add("a", at(5));
  kept.add("a", at(10));
  kept.remove("a", at(5).at);

  expect(kept.all()).toEqual({ a: at(10) });
});

it("does not repeat what the server rejects", async () => {
  const one = sender(() => Promise.reject(new Refused()));
  one.it.send(at(5));
  await settle();

  expect(one.kept.all()).toEqual({});
  expect(one.onRefused).toHaveBeenCalledOnce();
});

it("keeps the progress of users apart", () => {
  new StoredProgress(localStorage, "ada").add("a", at(5));

  expect(new StoredProgress(localStorage, "leo").all()).toEqual({});
});

it("sends the last progress when the page closes, without waiting", () => {
  const one = sender(() => new Promise(() => undefined));
  one.it.send(at(5));
  one.it.leave(at(7));

  expect(one.posted).toHaveBeenLastCalledWith("a", at(7), { isLeaving: true });
  expect(one.kept.all()).toEqual({ a: at(7) });
});

it("tolerates invalid and blocked storage", () => {
  localStorage.setItem("study.progress.ada", "{torn");
  expect(new StoredProgress(localStorage, "ada").all()).toEqual({});

  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  expect(() => new StoredProgress(localStorage, "ada").add("a", at(1))).not.toThrow();
});

it.each([
  ["the position of the server if nothing is stored", undefined, 20, 20],
  ["what is kept, where the server knows of nothing", at(40), null, 40],
  ["what is kept, where it is newer", at(40), 20, 40],
  ["what the server says, where another device went on", at(40), 41, 41],
  ["the beginning, after the last picture", at(58), 20, 0],
])("resumes at %s", (_, kept, known, place) => {
  const position_at = known === null ? null : at(known).at;

  expect(resumePosition({ position: known ?? 0, position_at, duration: 60 }, kept)).toBe(place);
});

import { beforeEach, expect, it, vi } from "vitest";

import { Following, type FollowingCalls } from "./following";
import type { Answer } from "./types";

class FakeSocket extends EventTarget {
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: Record<string, unknown>[] = [];
  constructor() {
    super();
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.readyState = 3;
  }
  connect(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  drop(): void {
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code: 1006 }));
  }
  say(message: object): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}

export const answerOf = (changes: Partial<Answer> = {}): Answer => ({
  uid: "a1",
  number: 1,
  state: "waiting",
  kind: "",
  text: "",
  html: "",
  error: null,
  note: "",
  provider: "search",
  is_search: true,
  rating: null,
  citations: [],
  cards: [],
  follow_ups: [],
  ...changes,
});

let texts: string[];
let ended: Answer[];
let lost: boolean[];
let calls: { [name in keyof FollowingCalls]: ReturnType<typeof vi.fn<FollowingCalls[name]>> };
let following: Following;
const newest = (): FakeSocket => FakeSocket.all.at(-1)!;
const piece = (offset: number, text: string) => ({ type: "text", answer: "a1", offset, text });

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  texts = [];
  ended = [];
  lost = [];
  calls = { fetchAnswer: vi.fn(), continueAnswer: vi.fn() };
  following = new Following(
    {
      onText: (_, text) => texts.push(text),
      onAnswer: (answer) => ended.push(answer),
      onStatus: () => undefined,
      onLost: (isLost) => lost.push(isLost),
    },
    calls,
    () => new FakeSocket() as unknown as WebSocket,
  );
  return () => following.close();
});

it("shows each character once, whatever overlaps or is missing", () => {
  following.follow(answerOf());
  newest().connect();
  newest().say(piece(0, "An arrow "));
  newest().say(piece(3, "arrow grows"));
  newest().say(piece(0, "An arrow"));
  expect(texts).toEqual(["An arrow ", "An arrow grows"]);

  newest().say(piece(20, "too far"));
  expect(newest().sent).toEqual([
    { type: "follow", answer: "a1", offset: 0 },
    { type: "follow", answer: "a1", offset: 14 },
  ]);
});

it("continues after a lost connection where the shown text ends", async () => {
  following.follow(answerOf());
  newest().connect();
  newest().say(piece(0, "One 🙂"));
  newest().drop();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(FakeSocket.all).toHaveLength(2);

  newest().connect();
  expect(newest().sent).toEqual([{ type: "follow", answer: "a1", offset: 6 }]);
  newest().say(piece(0, "One 🙂 two"));
  newest().say({ type: "ended", answer: answerOf({ state: "finished", text: "One 🙂 two" }) });
  expect(texts).toEqual(["One 🙂", "One 🙂 two"]);
  expect(ended.map(({ state }) => state)).toEqual(["finished"]);
});

it("continues an interrupted answer once by itself, and then leaves it to the user", async () => {
  calls.continueAnswer.mockResolvedValue(answerOf({ text: "Half" }));
  following.follow(answerOf());
  newest().connect();
  newest().say(piece(0, "Half"));
  newest().say({ type: "state", answer: "a1", state: "interrupted", kind: "" });
  newest().say({ type: "ended", answer: answerOf({ state: "interrupted", text: "Half" }) });
  await vi.advanceTimersByTimeAsync(0);
  expect(calls.continueAnswer).toHaveBeenCalledOnce();
  expect(newest().sent.at(-1)).toEqual({ type: "follow", answer: "a1", offset: 4 });

  newest().say({ type: "ended", answer: answerOf({ state: "interrupted", text: "Half of" }) });
  expect(calls.continueAnswer).toHaveBeenCalledOnce();
  expect(ended.at(-1)?.text).toBe("Half of");
});

it("does not continue what the user has stopped", () => {
  following.follow(answerOf());
  newest().connect();
  following.markStopped("a1");
  newest().say({ type: "ended", answer: answerOf({ state: "interrupted" }) });
  expect(calls.continueAnswer).not.toHaveBeenCalled();
  expect(ended).toHaveLength(1);
});

it("asks every two seconds where websockets are blocked", async () => {
  calls.fetchAnswer.mockResolvedValueOnce(answerOf({ state: "streaming", text: "One" }));
  calls.fetchAnswer.mockRejectedValueOnce(new Error("offline"));
  calls.fetchAnswer.mockResolvedValueOnce(answerOf({ state: "finished", text: "One two" }));
  following.follow(answerOf());
  await vi.advanceTimersByTimeAsync(3_000);
  expect(texts).toEqual(["One"]);

  await vi.advanceTimersByTimeAsync(2_000);
  expect(lost.at(-1)).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ended.map(({ text }) => text)).toEqual(["One two"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls.fetchAnswer).toHaveBeenCalledTimes(3);
});

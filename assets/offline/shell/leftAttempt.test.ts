import { beforeEach, expect, it, vi } from "vitest";

import { openAttempt } from "./attempts";
import { makeLeftAttempt } from "./leftAttempt";
import type { LocalAttempt } from "./localLesson";
import { forgetLocks, MemoryStore, T0 } from "./testing";

const questions = ["q1", "q2"].map((uid) => ({ uid, kind: "truth", gaps: [] }));
const paper = { uid: "paper-1", questions, answers: {}, time_limit: 0 };

let store: MemoryStore;
const words = (within: Element | null): string =>
  within?.textContent.replace(/\s+/g, " ").trim() ?? "";

beforeEach(async () => {
  forgetLocks();
  store = new MemoryStore();
  await store.changeLocal("quiz", (known) => ({
    ...known,
    attempt: {
      ...openAttempt(paper as unknown as LocalAttempt["paper"], T0, "change-1"),
      given: { answers: { q1: { value: true } }, flags: [] },
    },
  }));
});

it("submits the attempt of a lesson that isn't stored anymore, and says so", async () => {
  store.time += 90_000;
  const left = await makeLeftAttempt(store, "quiz", "Vectors");
  document.body.append(left!);
  expect(words(document.body)).toContain("You answered 1 of 2 questions.");
  document.querySelector("button")!.click();

  await vi.waitFor(() => expect(words(document.body)).toContain("Your attempt is submitted"));
  expect(store.changes).toHaveLength(1);
  expect(store.changes[0]).toMatchObject({
    title: "Vectors",
    change: { id: "change-1", attempt: { seconds: 90, answers: { q1: { value: true } } } },
  });
});

it("offers nothing once it is submitted, or where there was none", async () => {
  await store.changeLocal("quiz", (known) => ({
    ...known,
    attempt: known.attempt && { ...known.attempt, submittedAt: T0 },
  }));
  expect(await makeLeftAttempt(store, "quiz", "Vectors")).toBeNull();
  expect(await makeLeftAttempt(store, "other", "")).toBeNull();
});

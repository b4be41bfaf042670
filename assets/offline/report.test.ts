import { beforeEach, expect, it, vi } from "vitest";

import { showSyncReport } from "./report";
import type { WaitingChange } from "./types";

const refusal = { code: "NO", title: "No", message: "You used your last attempt elsewhere." };
const refused = (title: string): WaitingChange => ({
  change: { id: title, kind: "attempt", lesson: null, made_at: "" },
  title,
  refusal,
});
const toasts = (): string[] =>
  [...document.querySelectorAll(".toast p")].map(({ textContent }) => textContent);

beforeEach(() => vi.useFakeTimers());

it("says how much was synced, and nothing where nothing was", () => {
  showSyncReport({ taken: 0, refused: [], results: [], waiting: 3 });
  expect(toasts()).toEqual([]);

  showSyncReport({ taken: 12, refused: [], results: [], waiting: 0 });
  expect(toasts()).toEqual(["12 changes synced"]);
  vi.advanceTimersByTime(60_000);
  expect(toasts()).toEqual([]);
});

it("keeps what was refused in view with its reason, and says it aloud", () => {
  showSyncReport({ taken: 1, refused: [refused("2.6 Quiz")], results: [], waiting: 0 });

  const sentence = "“2.6 Quiz” couldn't be saved. You used your last attempt elsewhere.";
  expect(toasts()).toEqual(["1 change synced", sentence]);
  expect(document.querySelector('[data-live="assertive"]')?.textContent).toBe(sentence);
  vi.advanceTimersByTime(60_000);
  expect(toasts()).toEqual([sentence]);
});

it("counts several refusals", () => {
  showSyncReport({ taken: 0, refused: [refused("a"), refused("b")], results: [], waiting: 0 });

  expect(toasts()).toEqual(["2 changes couldn't be saved."]);
});

it("tells the results of quizzes, passed or not", () => {
  const results = [
    { title: "Vectors", percent: 80, isPassed: true },
    { title: "Shadows", percent: 40, isPassed: false },
    { title: "Warm-up", percent: 100, isPassed: null },
    { title: "Grids", percent: 90, isPassed: true },
  ];
  showSyncReport({ taken: 1, refused: [], results: results.slice(0, 1), waiting: 0 });
  showSyncReport({ taken: 5, refused: [], results, waiting: 0 });

  expect(toasts()).toEqual([
    "1 change synced. Vectors: 80%, passed",
    "5 changes synced. Vectors: 80%, passed. Shadows: 40%, not passed. Warm-up: 100%. 1 more quiz marked",
  ]);
});

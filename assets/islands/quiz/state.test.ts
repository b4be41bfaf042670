import { expect, it } from "vitest";

import type { Question } from "../../shared/questions/types";
import { readDraft, saveDraft, deleteDraft } from "./draft";
import {
  countAnswered,
  empty,
  isAnswered,
  moved,
  orderOf,
  reduce,
  toggled,
  toSend,
  unreadable,
} from "../../shared/questions/state";

const question = (uid: string, more: Partial<Question> = {}): Question => ({
  uid,
  kind: "single",
  prompt_html: "Why?",
  points: 1,
  options: [],
  left: [],
  right: [],
  unit: "",
  tolerance: "",
  ignores_accents: false,
  is_case_sensitive: false,
  number_format: { decimal: ".", group: ",", second_group: 3 },
  gaps: [],
  limit: null,
  ...more,
});

it("keeps the last answer to each question", () => {
  let paper = reduce(empty, { type: "answer", question: "a", answer: { id: "1" } });
  paper = reduce(paper, { type: "answer", question: "b", answer: { text: "x" } });
  paper = reduce(paper, { type: "answer", question: "a", answer: { id: "2" } });

  expect(paper.answers).toEqual({ a: { id: "2" }, b: { text: "x" } });
});

it("flags a question and removes the flag", () => {
  const flagged = reduce(empty, { type: "flag", question: "a" });

  expect(flagged.flags).toEqual(["a"]);
  expect(reduce(flagged, { type: "flag", question: "a" }).flags).toEqual([]);
});

it.each([
  [undefined, false],
  [{}, false],
  [{ id: "" }, false],
  [{ id: "a" }, true],
  [{ ids: [] }, false],
  [{ ids: ["a"] }, true],
  [{ value: false }, true],
  [{ text: "  " }, false],
  [{ text: "0" }, true],
  [{ pairs: { a: "" } }, false],
  [{ pairs: { a: "", b: "1" } }, true],
  [{ gaps: { 1: " " } }, false],
  [{ gaps: { 1: "", 2: "x" } }, true],
])("knows whether %j has content", (answer, says) => {
  expect(isAnswered(answer)).toBe(says);
});

it("sends only answers with content to questions of the attempt", () => {
  const questions = [question("a"), question("b")];
  const answers = { a: { id: "1" }, b: { text: "" }, gone: { id: "9" } };

  expect(toSend(questions, answers)).toEqual({ a: { id: "1" } });
  expect(countAnswered(questions, answers)).toBe(1);
});

it("ignores a word as the answer to a numeric question", () => {
  const questions = [question("a", { kind: "numeric" }), question("b")];
  const answers = { a: { text: "three" }, b: { text: "three" } };

  expect(toSend(questions, answers)).toEqual({ b: { text: "three" } });
  expect(countAnswered(questions, answers)).toBe(1);
  expect(unreadable(questions, answers)).toEqual(["a"]);
});

it("sends the gaps that can be read, and says that one cannot", () => {
  const common = { points: 1, options: [], unit: "", tolerance: "" };
  const marking = { ignores_accents: false, is_case_sensitive: false };
  const text = question("a", {
    kind: "gaps",
    gaps: [
      { number: "1", kind: "numeric", ...common, ...marking },
      { number: "2", kind: "text", ...common, ...marking },
    ],
  });
  const answers = { a: { gaps: { 1: "three", 2: "three", 9: "of an older text" } } };

  expect(toSend([text], answers)).toEqual({ a: { gaps: { 2: "three" } } });
  expect(unreadable([text], answers)).toEqual(["a"]);
  expect(unreadable([text], { a: { gaps: { 1: "1/3" } } })).toEqual([]);
  expect(toSend([text], { a: { gaps: { 1: "three" } } })).toEqual({});
});

it("toggles one of several choices", () => {
  expect(toggled(undefined, "a")).toEqual(["a"]);
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
});

it("moves an item of a list", () => {
  expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a"], 5, 0)).toEqual(["a"]);
});

it("shows steps in their initial order until one is moved, and ignores an order of other steps", () => {
  const steps = question("a", {
    options: [
      { id: "p", html: "P" },
      { id: "q", html: "Q" },
    ],
  });

  expect(orderOf(steps, undefined)).toEqual(["p", "q"]);
  expect(orderOf(steps, { ids: ["q", "p"] })).toEqual(["q", "p"]);
  expect(orderOf(steps, { ids: ["q", "x"] })).toEqual(["p", "q"]);
});

it("stores answers on this device until they are deleted", () => {
  const paper = { answers: { a: { id: "1" } }, flags: ["a"] };

  expect(saveDraft(localStorage, "try", paper)).toBe(true);
  expect(readDraft(localStorage, "try")).toEqual(paper);
  expect(readDraft(localStorage, "another")).toEqual(empty);
  deleteDraft(localStorage, "try");
  expect(readDraft(localStorage, "try")).toEqual(empty);
});

it.each([
  "{",
  "null",
  "[]",
  '{"answers": [1], "flags": []}',
  '{"answers": {"a": 1}, "flags": [2]}',
])("treats %j as empty", (torn) => {
  localStorage.setItem("study.quiz.try", torn);

  expect(readDraft(localStorage, "try")).toEqual(empty);
});

it("works without storage", () => {
  const refuse = (): never => {
    throw new DOMException("refused", "QuotaExceededError");
  };
  const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };

  expect(saveDraft(storage, "try", empty)).toBe(false);
  expect(readDraft(storage, "try")).toEqual(empty);
  expect(() => deleteDraft(storage, "try")).not.toThrow();
});

import { expect, it } from "vitest";

import * as lists from "./cues";
import type { Cue } from "./cues";
import { History } from "./history";
import { actionOf, historyOf } from "./keys";
import { Sheet } from "./sheet";
import type { Changes, Saved, SheetData } from "./api";
import { formatTime, parseShift, parseTime } from "./time";
import { allWarnings, roomFor, speedOf, warningsOf } from "./warnings";

const cue = (id: string, begin: number, end: number, text = id): Cue => ({
  ...lists.newCue(begin, end, text),
  id,
});
const texts = (cues: lists.Cues): string[] =>
  cues.map(({ begin, end, text }) => `${begin}-${end} ${text}`);

it("reads and writes times", () => {
  expect([0, 98.5, 3723.004].map(formatTime)).toEqual(["0:00.00", "1:38.50", "1:02:03.004"]);
  expect(formatTime(348.9996)).toBe("5:49.00");
  expect(["98.5", " 1:38,5 ", "0:01:38.50"].map(parseTime)).toEqual([98.5, 98.5, 98.5]);
  expect(["", "1:60", "1:61:00", "a", "-1", "1:2:3:4"].map(parseTime)).toEqual(Array(6).fill(null));
  expect(["-44", "−1.5", "+2", "x", ""].map(parseShift)).toEqual([-44, -1.5, 2, null, null]);
});

it("splits where the caret stands, and merges again", () => {
  const list = [cue("a", 0, 4, "One two"), cue("b", 5, 6)];
  const split = lists.split(list, "a", 3);
  expect(texts(split)).toEqual(["0-1.714 One", "1.714-4 two", "5-6 b"]);
  expect(texts(lists.split(list, "a", 3, 3))).toEqual(["0-3 One", "3-4 two", "5-6 b"]);
  expect(texts(lists.mergeWithNext(split, "a"))).toEqual(["0-4 One\ntwo", "5-6 b"]);
  expect(lists.mergeWithNext(list, "b")).toBe(list);
});

it("adds where there is room, and keeps order when times change", () => {
  const list = [cue("a", 0, 4), cue("b", 5, 6)];
  const { cues, cue: made } = lists.add(list, "a", 0);
  expect([made.begin, made.end]).toEqual([4, 5]);
  expect(cues.map(({ id }) => id)).toEqual(["a", made.id, "b"]);
  const between = lists.add([cue("a", 0, 4), cue("b", 4.5, 6)], "a", 0).cue;
  expect([between.begin, between.end]).toEqual([4, 4.5]);
  expect(texts(lists.setTime(list, "a", "begin", 7))).toEqual(["5-6 b", "7-11 a"]);
  expect(texts(lists.setTime(list, "b", "end", 2))).toEqual(["0-4 a", "1.8-2 b"]);
});

it("shifts, and sets aside what falls out of the video", () => {
  const list = [cue("a", 0, 4), cue("b", 5, 6), cue("c", 8, 9)];
  const later = lists.shift(list, 3, "b", 10);
  expect(later.map(({ begin, state }) => `${begin} ${state}`)).toEqual([
    "0 shown",
    "8 shown",
    "8 aside",
  ]);
  expect(lists.shift(list, -4.5, null, 10).map(({ begin, state }) => `${begin} ${state}`)).toEqual([
    "0 aside",
    "0.5 shown",
    "3.5 shown",
  ]);
});

it("finds and replaces signs, not patterns", () => {
  const list = [cue("a", 0, 1, "own vector. Own"), cue("b", 2, 3, "$& (own)")];
  expect(lists.countOf(list, "own", false)).toBe(3);
  expect(lists.countOf(list, "own", true)).toBe(2);
  expect(texts(lists.replaceAll(list, ".", "$&!", false))).toEqual([
    "0-1 own vector$&! Own",
    "2-3 $& (own)",
  ]);
  expect(lists.findNext(list, "OWN", "b", false)?.id).toBe("a");
});

it("warns of what can't be read, and finds room", () => {
  const list = [
    cue("a", 0, 1, "x".repeat(41)),
    cue("b", 2, 3, ""),
    cue("c", 9, 12, "字".repeat(20)),
  ];
  const kinds = [...allWarnings(list, 10)].map(([id, found]) => [
    id,
    found.map(({ kind }) => kind),
  ]);
  expect(kinds).toEqual([
    ["a", ["fast"]],
    ["b", ["empty"]],
  ]);
  expect(speedOf(list[2]!)).toBe(13);
  expect(roomFor(list, "a", 10)).toEqual({ begin: 0, end: 2, added: 1 });
  expect(roomFor([cue("a", 0, 1, "x".repeat(41)), cue("b", 1, 3)], "a", 10)).toBeNull();
  const over = [cue("a", 0, 9), cue("b", 2, 3.5), cue("c", 5, 7)];
  expect([...allWarnings(over, 10).keys()]).toEqual(["a"]);
  expect(warningsOf(cue("a", 11, 13), 12, 10).map(({ kind }) => kind)).toEqual(["overlap", "late"]);
});

it("pairs translations by their times", () => {
  const first = [cue("a", 0, 4), cue("b", 4, 6), cue("c", 8, 9)];
  const second = [cue("x", 0.2, 3), cue("y", 4.5, 5.5)];
  expect([...lists.pairs(first, second)].map(([id, other]) => id + other.id)).toEqual(["ax", "by"]);
});

it("knows its keys by their place, and leaves AltGr alone", () => {
  const press = { altKey: true, ctrlKey: false, metaKey: false, shiftKey: false };
  expect(actionOf({ ...press, code: "BracketLeft" })).toBe("begin");
  expect(actionOf({ ...press, code: "BracketLeft", ctrlKey: true })).toBeUndefined();
  const control = { ...press, altKey: false, ctrlKey: true };
  expect(historyOf({ ...control, code: "KeyY", key: "z" })).toBe("undo");
  expect(historyOf({ ...control, code: "KeyZ", key: "Z", shiftKey: true })).toBe("redo");
});

const data = (cues: Cue[], more: Partial<SheetData> = {}): SheetData => ({
  language: "en",
  name: "English",
  cues,
  revision: 0,
  base: "b",
  published: "uploaded",
  is_changed: false,
  is_replaced: false,
  source_encoding: "",
  edited_by: "",
  edited_at: null,
  ...more,
});

function opened(cues: Cue[], answer: (changes: Changes) => Partial<Saved> = () => ({})) {
  const sent: Changes[] = [];
  const stored: Record<string, unknown>[] = [];
  const sheet = new Sheet({
    data: data(cues),
    kept: [],
    author: "ada",
    store: { write: (fields) => stored.push(fields) > 0 },
    load: () => Promise.reject(new Error("not loaded")),
    send: (changes) => {
      sent.push(changes);
      const cue = { revision: changes.since + 1, cues: [], conflicts: [], edited_by: "Ana" };
      return Promise.resolve({ ...cue, ...answer(changes) });
    },
  });
  return { sheet, sent, stored };
}

it("sends what has changed, also what was removed", async () => {
  const { sheet, sent, stored } = opened([cue("a", 0, 1), cue("b", 2, 3)]);
  sheet.set(lists.remove(lists.change(sheet.state().cues, "a", { text: "A" }), "b"));
  expect(Object.keys(stored.at(-1) ?? {})).toEqual(["a", "b"]);
  await sheet.flush();
  expect(sent[0]?.cues.map(({ id, state, text }) => [id, state, text])).toEqual([
    ["a", "shown", "A"],
    ["b", "removed", "b"],
  ]);
  expect([sheet.isUnsaved, sheet.revision, stored.at(-1)]).toEqual([false, 1, {}]);
});

it("takes what others change, merges fields, and asks about the rest", async () => {
  const theirs = [cue("a", 0, 1, "A theirs"), cue("b", 2, 3.5, "b"), cue("c", 5, 6, "c theirs")];
  let isFirst = true;
  const { sheet, sent } = opened([cue("a", 0, 1), cue("b", 2, 3), cue("c", 5, 6)], () => {
    if (!isFirst) return {};
    isFirst = false;
    return { cues: theirs, conflicts: ["b", "c"] };
  });
  let all = lists.change(sheet.state().cues, "b", { text: "B mine" });
  all = lists.change(all, "c", { text: "C mine" });
  sheet.set(all);
  await sheet.flush();
  expect(texts(sheet.state().cues)).toEqual(["0-1 A theirs", "2-3.5 B mine", "5-6 C mine"]);
  expect([...sheet.state().conflicts.keys()]).toEqual(["c"]);
  sheet.resolve("c", "mine");
  await sheet.flush();
  expect(sent.at(-1)?.cues.some(({ id, text }) => id === "c" && text === "C mine")).toBe(true);
  expect(sheet.isUnsaved).toBe(false);
});

it("takes up what a closed tab left", () => {
  const [a, b] = [cue("a", 0, 1), cue("b", 2, 3)];
  const kept = (value: Cue | null, base: string, baseValue: Cue | null) => ({
    value,
    base,
    baseValue,
    at: 1,
  });
  const sheet = new Sheet({
    data: data([a, b]),
    author: "ada",
    store: { write: () => true },
    send: () => new Promise(() => undefined),
    load: () => new Promise(() => undefined),
    kept: [
      {
        a: kept({ ...a, text: "typed" }, "b", a),
        b: kept(null, "b", b),
        n: kept(cue("n", 4, 5, "new"), "b", null),
        z: kept(cue("z", 6, 7, "of former captions"), "other", null),
      },
    ],
  });
  expect(sheet.state().cues.map(({ text, state }) => `${text} ${state}`)).toEqual([
    "typed shown",
    "new shown",
    "of former captions aside",
  ]);
  sheet.stop();
});

it("learns what others have changed before it publishes", async () => {
  const { sheet, sent } = opened([cue("a", 0, 1), cue("b", 2, 3)], () => ({
    cues: [cue("b", 2, 3, "theirs")],
  }));
  await sheet.catchUp();
  expect(sent[0]?.cues).toEqual([]);
  expect(texts(sheet.state().cues)).toEqual(["0-1 a", "2-3 theirs"]);
  expect([sheet.revision, sheet.isUnsaved]).toEqual([1, false]);
});

it("adds translations by their originals, unchecked, and overwrites none", () => {
  const first = [
    cue("a", 0, 1, "Yes"),
    cue("b", 2, 3, "Changed"),
    cue("c", 4, 5, "Yes"),
    cue("d", 6, 7, "No"),
  ];
  const second = [cue("x", 4, 5, " "), cue("y", 6, 7, "Nein")];
  expect(lists.untranslated(first, second).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  const { cues, count } = lists.addTranslations(
    first,
    second,
    ["Yes", "Before", "Yes", "No"],
    ["Ja", "Vorher", "Doch", "Nö"],
  );
  expect(texts(cues)).toEqual(["0-1 Ja", "4-5 Doch", "6-7 Nein"]);
  expect(cues.map(({ is_checked }) => is_checked)).toEqual([false, false, true]);
  expect(count).toBe(2);
  expect(lists.addTranslations(first, second, ["Yes"], [null]).count).toBe(0);
});

it("takes back every place of a replacement at once", () => {
  const { sheet } = opened([cue("a", 0, 1, "own"), cue("b", 2, 3, "own own")]);
  const history = new History();
  history.push([
    { sheet, patch: sheet.set(lists.replaceAll(sheet.state().cues, "own", "eigen", true)) },
  ]);
  expect(texts(sheet.state().cues)).toEqual(["0-1 eigen", "2-3 eigen eigen"]);
  history.undo();
  expect(texts(sheet.state().cues)).toEqual(["0-1 own", "2-3 own own"]);
  sheet.stop();
});

it("takes back one's own changes, not those of others", async () => {
  const { sheet } = opened([cue("a", 0, 1), cue("b", 2, 3)], () => ({
    cues: [cue("b", 2, 3, "theirs")],
  }));
  const history = new History();
  const edit = (text: string): void =>
    history.push(
      [{ sheet, patch: sheet.set(lists.change(sheet.state().cues, "a", { text })) }],
      "a text",
    );
  edit("x");
  edit("xy");
  history.push([{ sheet, patch: sheet.set(lists.remove(sheet.state().cues, "a")) }]);
  await sheet.flush();
  expect(history.undo()).toBe("a");
  expect(texts(sheet.state().cues)).toEqual(["0-1 xy", "2-3 theirs"]);
  history.undo();
  expect(texts(sheet.state().cues)).toEqual(["0-1 a", "2-3 theirs"]);
  history.redo();
  expect(texts(sheet.state().cues)).toEqual(["0-1 xy", "2-3 theirs"]);
  sheet.stop();
});

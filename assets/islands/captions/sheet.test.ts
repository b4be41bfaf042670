import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { ApiError, problemOf } from "../../shared/api/errors";
import type { Unsaved } from "../../shared/saving/unsavedStore";
import type { Changes, Saved, SheetData } from "./api";
import * as lists from "./cues";
import type { Cue } from "./cues";
import { mergeCue } from "./merging";
import { Sheet } from "./sheet";

const cue = (id: string, begin: number, text = id): Cue => ({
  ...lists.newCue(begin, begin + 1, text),
  id,
});
const gone = (one: Cue): Cue => ({ ...one, state: "removed" });
const [a, b, c] = [cue("a", 0), cue("b", 2), cue("c", 4)];

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
  edited_by: "Ana",
  edited_at: null,
  ...more,
});

type Fields = Record<string, Unsaved>;

class Desk {
  sent: Changes[] = [];
  device: Fields = {};
  sheet: Sheet;

  constructor(
    cues: Cue[],
    answer: (changes: Changes) => Partial<Saved> = () => ({}),
    { kept = [] as Fields[], load = (): SheetData => data(cues) } = {},
  ) {
    this.sheet = new Sheet({
      data: data(cues),
      kept,
      author: "ada",
      store: { write: (fields) => Boolean((this.device = fields)) },
      load: () => Promise.resolve(load()),
      send: (changes) => {
        this.sent.push(changes);
        const saved = { revision: changes.since + 1, cues: [], conflicts: [], edited_by: "Ana" };
        return Promise.resolve().then(() => ({ ...saved, ...answer(changes) }));
      },
    });
  }

  /** A text per id, as the list shows it. */
  get texts(): Record<string, string> {
    return Object.fromEntries(this.sheet.state().cues.map(({ id, text }) => [id, text]));
  }

  get conflicts(): string[] {
    return [...this.sheet.state().conflicts.keys()];
  }

  /** What the last call sent. */
  get last(): string[] | undefined {
    return this.sent.at(-1)?.cues.map(({ id, text, state }) => `${id} ${text} ${state}`);
  }

  type(id: string, text: string): void {
    this.sheet.set(lists.change(this.sheet.state().cues, id, { text }));
  }

  remove(id: string): void {
    this.sheet.set(lists.remove(this.sheet.state().cues, id));
  }
}

const refusal = (status: number, fields: Record<string, string> = {}): ApiError =>
  new ApiError(status, {
    ...problemOf(status === 409 ? "CAPTIONS_REPLACED" : "VALIDATION_FAILED", status),
    fields: Object.fromEntries(
      Object.entries(fields).map(([path, message]) => [path, [{ code: "max_length", message }]]),
    ),
  });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (): Promise<unknown> => vi.advanceTimersByTimeAsync(60_000);

it("keeps what is typed while captions are published, and sends it afterwards", async () => {
  const desk = new Desk([a, b]);
  const published = desk.sheet.replaceBy(async () => {
    await Promise.resolve();
    desk.type("a", "typed meanwhile");
    await pass();
    expect(desk.sent).toEqual([]);
    return data([a, { ...b, is_checked: false }], { base: "p", revision: 7 });
  });
  await published;
  expect(desk.texts).toEqual({ a: "typed meanwhile", b: "b" });
  expect(desk.device.a).toMatchObject({ base: "p", baseValue: a });
  await pass();
  expect([desk.last, desk.sent[0]?.base, desk.sent[0]?.since]).toEqual([
    ["a typed meanwhile shown"],
    "p",
    7,
  ]);
});

it("drops what is discarded, not what is typed after that", async () => {
  const desk = new Desk([a, b]);
  desk.type("a", "before");
  desk.type("b", "before");
  await pass();
  await desk.sheet.replaceBy(() => {
    desk.type("a", "after");
    return Promise.resolve(data([a, b], { revision: 2 }));
  }, true);
  expect(desk.texts).toEqual({ a: "after", b: "b" });
  const failing = desk.sheet.replaceBy(() => Promise.reject(new Error("offline")), true);
  await expect(failing).rejects.toThrow("offline");
  await pass();
  expect(desk.last).toEqual(["a after shown"]);
  expect(desk.sheet.isUnsaved).toBe(false);
});

it("never lets a deletion win over an edit unseen", () => {
  const edited = { ...a, text: "edited" };
  const checked = { ...a, is_checked: false };
  expect(mergeCue(a, edited, gone(a))).toBeNull();
  expect(mergeCue(a, gone(a), edited)).toBeNull();
  expect(mergeCue(a, checked, gone(a))?.state).toBe("removed");
  expect(mergeCue(a, gone(a), checked)?.state).toBe("removed");
  expect(mergeCue(a, gone(a), gone(edited))?.state).toBe("removed");
});

/** A desk whose first call meets another author's changes. */
function meeting(theirs: Cue[]): Desk {
  let isFirst = true;
  return new Desk([a, b, c], ({ cues }) => {
    if (!isFirst) return {};
    isFirst = false;
    return { cues: theirs, conflicts: cues.map(({ id }) => id) };
  });
}

it("asks when a caption was deleted elsewhere and changed here, or the reverse", async () => {
  const desk = meeting([gone(a), { ...b, text: "theirs" }, { ...c, text: "theirs" }]);
  desk.type("a", "mine");
  desk.remove("b");
  desk.remove("c");
  await pass();
  expect(desk.conflicts).toEqual(["a", "b", "c"]);
  expect(desk.texts).toEqual({ a: "mine", b: "theirs", c: "theirs" });
  expect(desk.sheet.isUnsaved).toBe(true);
  desk.sheet.resolve("a", "mine");
  desk.sheet.resolve("b", "mine");
  desk.sheet.resolve("c", "theirs");
  await pass();
  expect(desk.last).toEqual(["a mine shown", "b theirs removed"]);
  expect(desk.texts).toEqual({ a: "mine", c: "theirs" });
  expect(desk.sheet.isUnsaved).toBe(false);
});

it("asks again after a reload, also about a deletion", async () => {
  const theirs = [
    { ...a, text: "theirs" },
    { ...b, text: "theirs" },
  ];
  const desk = meeting(theirs);
  desk.type("a", "mine");
  desk.remove("b");
  await pass();
  const again = new Desk([...theirs, c], undefined, { kept: [desk.device] });
  await pass();
  expect([again.conflicts, again.sent]).toEqual([["a", "b"], []]);
  expect(again.texts).toEqual({ a: "mine", b: "theirs", c: "c" });
  expect(Object.keys(again.device)).toEqual(["a", "b"]);
});

it("takes a decision in the row itself: editing or deleting what is shown", async () => {
  const desk = meeting([
    { ...a, text: "theirs" },
    { ...b, text: "theirs" },
  ]);
  desk.type("a", "mine");
  desk.remove("b");
  await pass();
  desk.remove("a");
  expect([desk.texts.a, desk.sheet.state().conflicts.get("a")?.isDeleted]).toEqual([
    "theirs",
    true,
  ]);
  desk.remove("a");
  desk.type("b", "theirs, edited");
  expect(desk.conflicts).toEqual([]);
  await pass();
  expect(desk.last).toEqual(["b theirs, edited shown", "a theirs removed"]);
});

it("loads captions that were discarded or published elsewhere, with what is typed here", async () => {
  let isReplaced = true;
  const now = data(
    [
      { ...a, text: "published" },
      { ...b, text: "published" },
    ],
    { base: "p" },
  );
  const desk = new Desk(
    [a, b],
    () => {
      if (isReplaced) throw refusal(409);
      return {};
    },
    { load: () => now },
  );
  desk.type("b", "mine");
  desk.sheet.set([...desk.sheet.state().cues, cue("n", 8)]);
  await pass();
  // A second refusal is no reason to load again and again.
  expect([desk.sent.length, desk.sheet.state().failure]).toEqual([2, expect.any(ApiError)]);
  expect(desk.texts).toEqual({ a: "published", b: "mine", n: "n" });
  expect(desk.conflicts).toEqual(["b"]);
  isReplaced = false;
  void desk.sheet.flush();
  await pass();
  expect([desk.last, desk.sheet.state().failure]).toEqual([["n n shown"], null]);
});

it("asks about a caption whose deletion was published elsewhere", async () => {
  const kept = { a: { value: { ...a, text: "mine" }, base: "b", baseValue: a, at: 1 } };
  const desk = new Desk([b], undefined, { kept: [kept] });
  await pass();
  expect([desk.conflicts, desk.sent, desk.texts.a]).toEqual([["a"], [], "mine"]);
  desk.sheet.resolve("a", "theirs");
  await pass();
  expect([desk.sheet.isUnsaved, desk.texts, desk.sent]).toEqual([false, { b: "b" }, []]);
});

it("sets aside what is typed when captions of another file take the place of these", async () => {
  let calls = 0;
  const desk = new Desk(
    [a, b],
    () => {
      if ((calls += 1) === 1) throw refusal(409);
      return {};
    },
    { load: () => data([cue("x", 0)], { base: "p" }) },
  );
  desk.type("b", "mine");
  await pass();
  expect(desk.sheet.state().cues.map(({ text, state }) => `${text} ${state}`)).toEqual([
    "x shown",
    "mine aside",
  ]);
});

it("saves everything but the captions that the server does not accept", async () => {
  const desk = new Desk([a, b, c], ({ cues }) => {
    const at = cues.findIndex(({ text }) => text.length > 20);
    if (at !== -1) throw refusal(400, { [`cues.${at}.text`]: "Too long" });
    return {};
  });
  desk.type("b", "x".repeat(21));
  desk.type("c", "fine");
  await pass();
  expect(desk.last).toEqual(["c fine shown"]);
  expect([...desk.sheet.state().refused].map(([id, { reason }]) => id + reason)).toEqual([
    "bToo long",
  ]);
  expect([Object.keys(desk.device), desk.sheet.isUnsaved]).toEqual([["b"], true]);
  expect([desk.sheet.state().saving, desk.sheet.state().failure]).toEqual(["device", null]);
  desk.type("b", "short");
  await pass();
  expect([desk.last, desk.sheet.isUnsaved]).toEqual([["b short shown"], false]);
});

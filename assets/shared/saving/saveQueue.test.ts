import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { mergeText } from "./mergeText";
import { type Change, type Outcome, PAUSE_MS, SaveQueue } from "./saveQueue";
import {
  createUnsavedStore,
  openUnsavedStore,
  type Unsaved,
  type UnsavedStore,
} from "./unsavedStore";

/** A server with one text and one choice, that can be slow, away, or changed by somebody else. */
class FakeServer {
  values: Record<string, unknown> = { body: "one\ntwo\nthree\n", is_preview: false };
  version = 1;
  versions: Record<string, number> = { body: 1, is_preview: 1 };
  delay = 0;
  isAway = false;
  calls = 0;
  /** The answer is lost, though the change was saved. */
  isAnswerLost = false;
  savedBy: Record<string, string> = {};

  saved() {
    return Object.fromEntries(
      Object.entries(this.values).map(([name, value]) => [
        name,
        { value, version: this.of(name), client: this.savedBy[name] ?? "" },
      ]),
    );
  }

  of(name: string): string {
    return String(this.versions[name]);
  }

  /** Somebody else changes it. */
  edit(name: string, value: unknown): void {
    this.savedBy[name] = "another tab";
    this.change(name, value);
  }

  change(name: string, value: unknown): void {
    this.values[name] = value;
    this.versions[name] = ++this.version;
  }

  async send(changes: Record<string, Change>, client = "tab"): Promise<Outcome[]> {
    this.calls++;
    const { isAway, isAnswerLost } = this;
    if (isAnswerLost) this.answer(changes, client);
    await new Promise((done) => setTimeout(done, this.delay));
    if (isAway || isAnswerLost) throw new TypeError("away");
    return this.answer(changes, client);
  }

  answer(changes: Record<string, Change>, client: string): Outcome[] {
    return Object.entries(changes).map(([name, { value, base }]) => {
      const about = { name, problem: "", edited_by: "Ana", edited_at: null };
      if (value === "bad")
        return {
          ...about,
          state: "refused",
          problem: "Not this.",
          version: this.of(name),
          value: this.values[name],
        };
      if (base !== this.of(name) && this.values[name] !== value)
        return {
          ...about,
          state: "conflict",
          version: this.of(name),
          value: this.values[name],
          client: this.savedBy[name] ?? "",
        };
      this.savedBy[name] = client;
      this.change(name, typeof value === "string" ? value.trimEnd() : value);
      return { ...about, state: "saved", version: this.of(name), value: this.values[name] };
    });
  }
}

let server: FakeServer;
let replaced: [string, unknown][];
let queues: SaveQueue[] = [];

/** A tab that is opened now, after the others were closed or crashed. */
async function reopen(): Promise<SaveQueue> {
  const { store, kept } = await openUnsavedStore("ada", "lesson-1");
  return open(store, kept, "new tab");
}

/** What the next tab finds on the device. */
async function keptNow(user = "ada", target = "lesson-1"): Promise<Record<string, Unsaved>[]> {
  return (await openUnsavedStore(user, target)).kept;
}

function open(
  store: UnsavedStore = createUnsavedStore("ada", "lesson-1"),
  kept: readonly Record<string, Unsaved>[] = [],
  client = "tab",
): SaveQueue {
  const queue = new SaveQueue({
    saved: server.saved(),
    store,
    kept,
    client,
    send: (changes) => server.send(changes, client),
    merge: mergeText,
    onReplaced: (name, value) => replaced.push([name, value]),
    judge: (reason) => {
      if (reason instanceof TypeError) return "later";
      return reason instanceof RangeError ? "field" : "stop";
    },
  });
  queues.push(queue);
  return queue;
}

const stateOf = (queue: SaveQueue, name = "body") => queue.fields().get(name)?.state;

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  server = new FakeServer();
  replaced = [];
});
afterEach(() => {
  for (const queue of queues) queue.stop();
  queues = [];
  vi.useRealTimers();
});

it("keeps on the device at once, and is saved only once the server says so", async () => {
  server.delay = 3_000;
  const queue = open();
  queue.set("body", "one, two");
  expect(stateOf(queue)).toBe("device");
  expect(await keptNow()).toMatchObject([{ body: { value: "one, two" } }]);
  expect(await keptNow("ben")).toEqual([]);

  await vi.advanceTimersByTimeAsync(1_000);
  expect(stateOf(queue)).toBe("saving");
  await vi.advanceTimersByTimeAsync(3_000);
  expect(stateOf(queue)).toBe("saved");
  expect(server.values.body).toBe("one, two");
  expect(await keptNow()).toEqual([]);
});

it("never replaces what is typed while a save takes long and every third fails", async () => {
  const queue = open();
  let typed = "";
  for (let key = 0; key < 120; key++) {
    server.delay = 3_000;
    server.isAway = server.calls % 3 === 2;
    typed += key % 7 === 6 ? " " : "x";
    queue.set("body", typed);
    await vi.advanceTimersByTimeAsync(100);
  }
  server.isAway = false;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(replaced).toEqual([]);
  expect(queue.fields().get("body")?.value).toBe(typed);
  expect(server.values.body).toBe(typed.trimEnd());
  expect(stateOf(queue)).toBe("saved");
});

it("brings back after a reload what was typed without a connection", async () => {
  server.isAway = true;
  const queue = open();
  queue.set("body", "typed on the train");
  await vi.advanceTimersByTimeAsync(60_000);
  queue.stop(); // the tab is killed

  server.isAway = false;
  const again = await reopen();
  expect(again.fields().get("body")?.value).toBe("typed on the train");
  await vi.advanceTimersByTimeAsync(10);
  expect(server.values.body).toBe("typed on the train");
});

it("merges what two people changed in different lines", async () => {
  const queue = open();
  queue.set("body", "ONE\ntwo\nthree\n");
  server.edit("body", "one\ntwo\nTHREE\n");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(server.values.body).toBe("ONE\ntwo\nTHREE");
  expect(replaced).toEqual([["body", "ONE\ntwo\nTHREE\n"]]);
});

describe("a conflict", () => {
  async function conflict(): Promise<SaveQueue> {
    const queue = open();
    queue.set("body", "mine\ntwo\nthree\n");
    server.edit("body", "theirs\ntwo\nthree\n");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stateOf(queue)).toBe("conflict");
    expect(queue.fields().get("body")?.conflict).toMatchObject({ by: "Ana" });
    expect(server.values.body).toBe("theirs\ntwo\nthree\n");
    return queue;
  }

  it("keeps both until the author decides for the own text", async () => {
    const queue = await conflict();
    queue.resolve("body", "mine");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.values.body).toBe("mine\ntwo\nthree");
    expect(stateOf(queue)).toBe("saved");
  });

  it("or for the other one", async () => {
    const queue = await conflict();
    queue.resolve("body", "theirs");
    expect(replaced.at(-1)).toEqual(["body", "theirs\ntwo\nthree\n"]);
    expect(stateOf(queue)).toBe("saved");
  });

  it("is met again after a reload", async () => {
    (await conflict()).stop();
    expect(stateOf(await reopen())).toBe("conflict");
  });
});

it("takes what another author saved, if the field has nothing unsaved", () => {
  const queue = open();
  queue.receive("is_preview", { value: true, version: "9", by: "Ana", at: null });
  expect(queue.fields().get("is_preview")).toMatchObject({ value: true, state: "saved" });
  expect(replaced).toEqual([["is_preview", true]]);
});

it("says why the server refuses a value, and tries again when it changes", async () => {
  const queue = open();
  queue.set("body", "bad");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(queue.fields().get("body")).toMatchObject({
    state: "refused",
    problem: "Not this.",
    value: "bad",
  });
  queue.set("body", "good");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stateOf(queue)).toBe("saved");
});

it("says when not even the device can keep it", () => {
  const queue = open({ write: () => false });
  queue.set("body", "x");
  expect(stateOf(queue)).toBe("memory");
});

it("stops at a failure that does not pass by itself, until something changes", async () => {
  const queue = open();
  vi.spyOn(server, "send").mockRejectedValueOnce(new Error("under review"));
  queue.set("body", "x");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(queue.failure).toEqual(new Error("under review"));
  expect(stateOf(queue)).toBe("device");
  queue.set("body", "xy");
  await vi.advanceTimersByTimeAsync(16_000);
  expect(stateOf(queue)).toBe("saved");
  expect(queue.failure).toBeNull();
});

it("does not take its own lost answer for another author", async () => {
  server.isAnswerLost = true;
  const queue = open();
  queue.set("body", "one");
  await vi.advanceTimersByTimeAsync(1_000);
  queue.set("body", "one, two");
  server.isAnswerLost = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(stateOf(queue)).toBe("saved");
  expect(server.values.body).toBe("one, two");
});

it("nor after a crash", async () => {
  server.isAnswerLost = true;
  const queue = open();
  queue.set("body", "one");
  await vi.advanceTimersByTimeAsync(1_000);
  queue.set("body", "one, two");
  queue.stop();
  server.isAnswerLost = false;
  const again = await reopen();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([stateOf(again), server.values.body]).toEqual(["saved", "one, two"]);
});

it("saves the others when the server refuses a request for the sake of one field", async () => {
  const queue = open();
  vi.spyOn(server, "send").mockImplementation((changes) => {
    if ("body" in changes) return Promise.reject(new RangeError("Too large."));
    return Promise.resolve(server.answer(changes, "tab"));
  });
  queue.set("body", "far too long");
  queue.set("is_preview", true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(queue.fields().get("body")).toMatchObject({ state: "refused", problem: "Too large." });
  expect(server.values.is_preview).toBe(true);
});

describe("while the user is in a field", () => {
  const theirs = (value: unknown) => {
    server.edit("body", value);
    return { value, version: server.of("body"), by: "Ana", at: null };
  };

  it("nothing is written into it until they leave it", () => {
    const queue = open();
    queue.focus("body");
    queue.receive("body", theirs("one\ntwo\nTHREE\n"));
    expect(queue.fields().get("body")).toMatchObject({
      value: "one\ntwo\nthree\n",
      state: "saved",
      incoming: { by: "Ana" },
    });
    expect(replaced).toEqual([]);
    queue.focus("");
    expect(queue.fields().get("body")?.value).toBe("one\ntwo\nTHREE\n");
  });

  it("the server gets both changes, and the field follows when it is left", async () => {
    const queue = open();
    queue.focus("body");
    queue.set("body", "ONE\ntwo\nthree\n");
    queue.receive("body", theirs("one\ntwo\nTHREE\n"));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.values.body).toBe("ONE\ntwo\nTHREE");
    queue.set("body", "ONE!\ntwo\nthree\n");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.values.body).toBe("ONE!\ntwo\nTHREE");
    expect(replaced).toEqual([]);
    queue.focus("");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(queue.fields().get("body")).toMatchObject({ state: "saved" });
    expect(String(queue.fields().get("body")?.value).trimEnd()).toBe("ONE!\ntwo\nTHREE");
  });

  it("it asks if the same line is changed while both changes are sent", async () => {
    server.delay = 1_000;
    const queue = open();
    queue.focus("body");
    queue.set("body", "ONE\ntwo\nthree\n");
    queue.receive("body", theirs("one\ntwo\nTHREE\n"));
    await vi.advanceTimersByTimeAsync(1_000); // it is on its way
    queue.set("body", "ONE\ntwo\ndrei\n");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stateOf(queue)).toBe("conflict");
    expect(queue.fields().get("body")?.value).toBe("ONE\ntwo\ndrei\n");
    expect(server.values.body).toBe("ONE\ntwo\nTHREE");
    queue.resolve("body", "mine");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.values.body).toBe("ONE\ntwo\ndrei");
    expect(stateOf(queue)).toBe("saved");
  });

  it("it asks once both have changed the same line", () => {
    const queue = open();
    queue.focus("body");
    queue.receive("body", theirs("uno\ntwo\nthree\n"));
    queue.set("body", "eins\ntwo\nthree\n");
    expect(stateOf(queue)).toBe("conflict");
    expect(queue.fields().get("body")?.value).toBe("eins\ntwo\nthree\n");
  });
});

describe("when another author cleared a field", () => {
  const text = { base: "one\ntwo\n", mine: "one\ntwo\nthree\n" };
  const cases: { cleared: unknown; base: unknown; mine: unknown }[] = [
    { cleared: null, ...text },
    { cleared: "", ...text },
    { cleared: "\n", ...text },
    { cleared: null, base: 3, mine: 30 },
    { cleared: [], base: ["a"], mine: ["a", "b"] },
  ];
  for (const { cleared, base, mine } of cases)
    it(`asks, and loses neither: ${JSON.stringify({ base, mine, cleared })}`, async () => {
      for (const focused of ["body", ""])
        for (const choice of ["mine", "theirs"] as const) {
          server.change("body", base);
          const queue = open();
          queue.focus(focused);
          queue.set("body", mine);
          server.edit("body", cleared);
          replaced = [];
          queue.receive("body", {
            value: cleared,
            version: server.of("body"),
            by: "Ana",
            at: null,
          });
          expect(queue.fields().get("body")).toMatchObject({ value: mine, state: "conflict" });
          expect(queue.fields().get("body")?.conflict?.value).toEqual(cleared);
          await vi.advanceTimersByTimeAsync(5_000);
          expect(replaced).toEqual([]);
          expect(server.values.body).toEqual(cleared);
          queue.resolve("body", choice);
          await vi.advanceTimersByTimeAsync(5_000);
          const kept = choice === "mine" ? mine : cleared;
          expect(queue.fields().get("body")).toMatchObject({ value: kept, state: "saved" });
          queue.stop();
        }
    });

  it("takes it, if nothing was written, and asks once the user writes before they leave", () => {
    const queue = open();
    queue.focus("body");
    server.edit("body", null);
    queue.receive("body", { value: null, version: server.of("body"), by: "Ana", at: null });
    expect(queue.fields().get("body")).toMatchObject({ state: "saved", incoming: { value: null } });
    queue.set("body", "mine");
    expect(queue.fields().get("body")).toMatchObject({ value: "mine", state: "conflict" });
    const other = open();
    other.receive("body", { value: null, version: "99", by: "Ana", at: null });
    expect(other.fields().get("body")).toMatchObject({ value: null, state: "saved" });
  });

  it("asks when the answer to a save says so", async () => {
    const queue = open();
    server.edit("body", null);
    queue.set("body", "one\ntwo\nthree\nfour\n");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(queue.fields().get("body")).toMatchObject({
      value: "one\ntwo\nthree\nfour\n",
      state: "conflict",
    });
  });

  it("asks when what a closed tab left comes after what is held back", () => {
    const queue = open();
    queue.focus("body");
    server.edit("body", null);
    queue.receive("body", { value: null, version: server.of("body"), by: "Ana", at: null });
    queue.adopt([{ body: { value: "left", base: "1", baseValue: "one", at: 1 } }]);
    expect(queue.fields().get("body")).toMatchObject({ value: "left", state: "conflict" });
  });
});

it("ignores an answer that is older than what was saved since", async () => {
  const queue = open();
  const asked = queue.mark();
  const old = { value: server.values.body, version: "0", by: "", at: null };
  queue.set("body", "new");
  await vi.advanceTimersByTimeAsync(2_000);
  queue.receive("body", old, asked);
  expect(queue.fields().get("body")?.value).toBe("new");
});

it("keeps what two tabs left, and asks where they differ", async () => {
  server.isAway = true;
  const [one, other] = [open(undefined, [], "one"), open(undefined, [], "other")];
  one.set("body", "from one");
  other.set("body", "from the other");
  other.set("is_preview", true);
  one.stop();
  other.stop();
  server.isAway = false;
  const again = await reopen();
  expect(again.fields().get("body")).toMatchObject({ state: "conflict" });
  const both = [again.fields().get("body")?.value, again.fields().get("body")?.conflict?.value];
  expect(both.sort()).toEqual(["from one", "from the other"]);
  expect(again.fields().get("is_preview")?.value).toBe(true);
  again.resolve("body", "theirs");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stateOf(again)).toBe("saved");
  expect(both).toContain(server.values.body);
});

it("merges lines, and nothing else", () => {
  expect(mergeText("a\nb\nc", "A\nb\nc", "a\nb\nC")).toBe("A\nb\nC");
  expect(mergeText("a", "b", "c")).toBeNull();
  expect(mergeText("a", "b", "b")).toBe("b");
  expect(mergeText(1, 2, 3)).toBeNull();
});

it("takes what was saved from here beside the queue, and does not send the old value over it", async () => {
  const queue = open();
  server.change("body", "renamed\n");
  server.savedBy.body = "tab"; // its answer was lost
  const { body } = server.saved();
  queue.receive("body", { ...body!, by: "Ana", at: null });
  await vi.advanceTimersByTimeAsync(5_000);

  expect(queue.fields().get("body")?.value).toBe("renamed\n");
  expect(server.values.body).toBe("renamed\n");
  expect(server.calls).toBe(0);
});

it("sends the old value again if it was written again after an answer was lost", async () => {
  const queue = open();
  server.isAnswerLost = true;
  queue.set("body", "other");
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  queue.set("body", "one\ntwo\nthree\n");
  server.isAnswerLost = false;
  const { body } = server.saved();
  expect(body).toMatchObject({ value: "other", client: "tab" });
  queue.receive("body", { ...body!, by: "Ana", at: null });
  await vi.advanceTimersByTimeAsync(20_000);

  expect(queue.fields().get("body")).toMatchObject({
    value: "one\ntwo\nthree\n",
    state: "saved",
  });
  expect(server.values.body).toBe("one\ntwo\nthree");
});

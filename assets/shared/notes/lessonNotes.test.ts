import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { makeError } from "../api/errors";
import { emptyContent, merge, textOf } from "./content";
import { BACKUP_MS, LessonNotes, PAUSE_MS, RETRY_MS } from "./lessonNotes";
import type { SavedNote } from "./noteApi";
import { type StoredNote, StoredNotes } from "./stored";

/** A server that merges what it gets, like the real one. */
class Server {
  readonly notes = new Map<string, SavedNote>();
  readonly save = vi.fn<(note: StoredNote, isLeaving?: boolean) => Promise<SavedNote>>((note) => {
    if (this.refusal) return Promise.reject(this.refusal);
    const { uid, kind, second } = note;
    const content = merge(this.notes.get(uid) ?? emptyContent, note.content);
    const saved = { uid, kind, second, ...content, text: textOf(content), html: "" };
    this.notes.set(uid, saved as unknown as SavedNote);
    return Promise.resolve(this.notes.get(uid)!);
  });
  refusal: Error | null = null;
  fetch = (): Promise<SavedNote[]> =>
    this.refusal ? Promise.reject(this.refusal) : Promise.resolve([...this.notes.values()]);
}

let server: Server;
const open = (user = "amara", lesson = "l1"): LessonNotes =>
  new LessonNotes({
    lesson,
    stored: new StoredNotes(() => localStorage, user),
    fetchNotes: server.fetch,
    saveNote: server.save,
    isTemporary: (reason) => reason === offline,
  });
const offline = makeError("NETWORK_OFFLINE");
const textsOf = (notes: LessonNotes): string[] =>
  notes.state.notes.map(({ content }) => textOf(content));
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  server = new Server();
});
afterEach(() => {
  vi.useRealTimers();
});

it("keeps each letter on the device, and sends the note after a pause", async () => {
  const notes = open();
  const editor = notes.begin();
  notes.write(editor, "note", 402, "F");
  notes.write(editor, "note", 402, "Floor");
  expect(notes.state.status).toBe("saving");
  expect(textsOf(open())).toEqual(["Floor"]);

  await settle(PAUSE_MS);
  expect(server.save).toHaveBeenCalledOnce();
  expect(notes.state.status).toBe("saved");
  expect(textsOf(open())).toEqual([]);
});

it("sends every two minutes while someone types without a pause", async () => {
  const notes = open();
  const editor = notes.begin();
  for (let second = 0; second <= BACKUP_MS / 1000; second += 1) {
    notes.write(editor, "note", null, "x".repeat(second + 1));
    await settle(1000);
  }

  expect(server.save).toHaveBeenCalledOnce();
});

it("keeps notes through a lost connection and sends them later, each once", async () => {
  server.refusal = offline;
  const notes = open();
  notes.write(notes.begin(), "note", 1, "One");
  notes.write(notes.begin(), "note", 2, "Two");
  await settle(PAUSE_MS);
  expect(notes.state.status).toBe("kept");
  const after = open(); // the page crashed
  expect(textsOf(after)).toEqual(["One", "Two"]);

  server.refusal = null;
  const stop = after.start();
  await settle(RETRY_MS);
  expect([...server.notes.values()].map(textOf).sort()).toEqual(["One", "Two"]);
  expect(after.state.status).toBe("saved");
  expect(localStorage.length).toBe(0);
  stop();
});

it("shows what another device wrote, and keeps both texts of one note", async () => {
  const phone = open("amara");
  const editor = phone.begin();
  phone.write(editor, "note", 5, "From the phone");
  await settle(PAUSE_MS);
  const laptop = open("amara");
  await laptop.load();
  laptop.write(laptop.edit(editor.uid), "note", 5, "From the laptop");
  phone.write(editor, "note", 5, "From the phone, longer");
  await settle(PAUSE_MS);
  await Promise.all([phone.load(), laptop.load()]);
  await settle(PAUSE_MS);

  for (const device of [phone, laptop]) {
    expect(textsOf(device)).toHaveLength(1);
    expect(textsOf(device)[0]).toContain("From the laptop");
    expect(textsOf(device)[0]).toContain("From the phone, longer");
  }
});

it("deletes a note and brings it back", async () => {
  const notes = open();
  const editor = notes.begin();
  notes.write(editor, "note", 5, "Kept");
  await settle(PAUSE_MS);
  const undo = notes.remove(editor.uid);
  await settle(1);
  expect(textsOf(notes)).toEqual([]);
  undo();
  await settle(1);

  expect(textsOf(notes)).toEqual(["Kept"]);
  const other = open();
  await other.load();
  expect(textsOf(other)).toEqual(["Kept"]);
});

it("stops sending what the server refuses for good, and keeps its text", async () => {
  const notes = open();
  server.refusal = makeError("PERMISSION_DENIED");
  notes.write(notes.begin(), "note", 5, "Mine");
  await settle(PAUSE_MS + RETRY_MS * 3);

  expect(server.save).toHaveBeenCalledOnce();
  expect(notes.state.notes[0]?.error?.is("PERMISSION_DENIED")).toBe(true);
  expect(textsOf(open())).toEqual(["Mine"]);
});

it("sends a refused note again once it or another has changed", async () => {
  const notes = open();
  const other = notes.begin();
  notes.write(other, "note", 3, "Another");
  await settle(PAUSE_MS);
  server.refusal = makeError("RATE_LIMIT_EXCEEDED");
  const editor = notes.begin();
  notes.write(editor, "note", 5, "Mine");
  await settle(PAUSE_MS);
  expect(notes.state.status).toBe("kept");

  notes.write(editor, "note", 5, "Mine, shorter");
  await settle(PAUSE_MS);
  expect(notes.state.notes.some(({ error }) => error?.is("RATE_LIMIT_EXCEEDED"))).toBe(true);

  server.refusal = null;
  notes.remove(other.uid);
  await settle(PAUSE_MS);
  expect(notes.state.status).toBe("saved");
  expect(textsOf(notes)).toEqual(["Mine, shorter"]);
});

it("says when the device has no room, and still sends", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const notes = open();
  notes.write(notes.begin(), "note", 5, "Mine");
  expect(notes.state.status).toBe("lost");
  await settle(PAUSE_MS);

  expect(notes.state.status).toBe("saved");
  vi.restoreAllMocks();
});

it("sends all that is unsent when the page is left", () => {
  const notes = open();
  const stop = notes.start();
  notes.write(notes.begin(), "note", 5, "Last words");
  dispatchEvent(new Event("pagehide"));

  expect(server.save).toHaveBeenCalledWith(expect.objectContaining({ second: 5 }), true);
  stop();
});

it("shows nobody the unsent notes of another user or lesson", () => {
  const notes = open("amara");
  notes.write(notes.begin(), "note", 5, "Mine");

  expect(textsOf(open("ben"))).toEqual([]);
  expect(textsOf(open("amara", "l2"))).toEqual([]);
  expect(new StoredNotes(() => localStorage, "").all()).toEqual([]);
});

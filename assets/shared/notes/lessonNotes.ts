/**
 * The notes and moments of a lesson: on this device at once, on the server after a pause in typing, every few minutes,
 * and on leaving.
 */
import { type ApiError, toApiError } from "../api/errors";
import { edited, emptyContent, isContained, isDeleted, merge, newKey } from "./content";
import { newUid } from "../newUid";
import type { Content } from "./content";
import type { SavedNote } from "./noteApi";
import type { Kind, StoredNote, StoredNotes } from "./stored";

/** A pause in typing after which a note is sent. */
export const PAUSE_MS = 3000;
/** Sent at least this often while someone types without a pause. */
export const BACKUP_MS = 120_000;
/** Time until the next attempt when the server does not respond or fails. */
export const RETRY_MS = 30_000;

export type Note = {
  uid: string;
  kind: Kind;
  second: number | null;
  content: Content;
  /** The server's HTML, and the text that it renders. */
  html: string;
  rendered: string;
  /** Whether the server does not have all of it yet. */
  isUnsent: boolean;
  /** Why the server refused it. */
  error: ApiError | null;
};
export type State = {
  notes: Note[];
  isLoaded: boolean;
  loadError: ApiError | null;
  /** "kept": on this device, as the server cannot be reached; "lost": not even there, as its storage is full. */
  status: "saved" | "saving" | "kept" | "lost";
};
type Dependencies = {
  lesson: string;
  stored: StoredNotes;
  fetchNotes: (lesson: string) => Promise<SavedNote[]>;
  saveNote: (note: StoredNote, isLeaving?: boolean) => Promise<SavedNote>;
  isTemporary: (reason: unknown) => boolean;
};

/** An opened editor: what it writes replaces `base`, the copy that it began with, and nothing that arrived since. */
export type Editor = { uid: string; key: string; base: Content };

export class LessonNotes {
  #state: State = { notes: [], isLoaded: false, loadError: null, status: "saved" };
  readonly #notes = new Map<string, Note>();
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firstUnsentAt = 0;
  #isSending = false;
  #isStored = true;
  #hasFailed = false;

  constructor(private readonly dependencies: Dependencies) {
    const { stored, lesson } = dependencies;
    for (const note of stored.all()) if (note.lesson === lesson) this.#merge(note, null);
    this.#publish();
  }

  get state(): State {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Fetch the notes of the server, and send what it does not have. Returns a function that stops. */
  start(): () => void {
    const stopping = new AbortController();
    const { signal } = stopping;
    const leave = (): void => {
      if (document.visibilityState === "hidden") void this.send(true);
      else void this.load();
    };
    addEventListener("pagehide", () => void this.send(true), { signal });
    document.addEventListener("visibilitychange", leave, { signal });
    addEventListener("online", () => void this.load(), { signal });
    void this.load();
    return () => stopping.abort();
  }

  async load(): Promise<void> {
    try {
      const found = await this.dependencies.fetchNotes(this.dependencies.lesson);
      const uids = new Set(found.map(({ uid }) => uid));
      // Deleted on another device; what this device has not sent stays.
      for (const note of [...this.#notes.values()])
        if (!uids.has(note.uid) && !note.isUnsent) this.#notes.delete(note.uid);
      for (const note of found) this.#mergeSaved(note);
      this.#state = { ...this.#state, isLoaded: true, loadError: null };
    } catch (reason) {
      this.#state = { ...this.#state, loadError: toApiError(reason) };
    }
    this.#publish();
    void this.send();
  }

  /** An editor for a new note, which exists once it is written. */
  begin(): Editor {
    return { uid: newUid(), key: newKey(), base: emptyContent };
  }

  /** An editor for a note that exists. */
  edit(uid: string): Editor {
    return { uid, key: newKey(), base: this.#notes.get(uid)?.content ?? emptyContent };
  }

  /** Save what an editor contains. */
  write(editor: Editor, kind: Kind, second: number | null, text: string): void {
    this.#change(editor, { kind, second }, text, false);
  }

  /** Delete a note. Returns a function that brings it back. */
  remove(uid: string): () => void {
    const note = this.#notes.get(uid);
    if (!note) return () => undefined;
    const { kind, second, content } = note;
    const text = content.edits.map((edit) => edit.text).filter(Boolean);
    this.#change(this.edit(uid), { kind, second }, "", true);
    // A note that was refused because there were too many may be saved now.
    for (const one of this.#notes.values())
      if (one.error) this.#notes.set(one.uid, { ...one, error: null });
    this.sendSoon(0);
    return () => {
      this.write(this.edit(uid), kind, second, [...new Set(text)].join("\n\n---\n\n"));
      this.sendSoon(0);
    };
  }

  sendSoon(delay = PAUSE_MS): void {
    const longest = this.#firstUnsentAt + BACKUP_MS - Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.send(), Math.max(0, Math.min(delay, longest)));
  }

  /** Send what the server does not have. On leaving, all at once, as nothing can be waited for. */
  async send(isLeaving = false): Promise<void> {
    if (this.#isSending && !isLeaving) return;
    const unsent = [...this.#notes.values()].filter((note) => note.isUnsent && !note.error);
    if (unsent.length === 0) return;
    clearTimeout(this.#timer);
    if (isLeaving) {
      await Promise.all(unsent.map((note) => this.#sendOne(note, true)));
      return;
    }
    this.#isSending = true;
    this.#publish();
    let mayGoOn = true;
    for (const note of unsent) mayGoOn = mayGoOn && (await this.#sendOne(note, false));
    this.#isSending = false;
    this.#hasFailed = !mayGoOn;
    this.#firstUnsentAt = Date.now();
    if (this.#hasFailed) this.sendSoon(RETRY_MS);
    else if ([...this.#notes.values()].some((note) => note.isUnsent && !note.error))
      this.sendSoon();
    this.#publish();
  }

  async #sendOne(note: Note, isLeaving: boolean): Promise<boolean> {
    const { stored, saveNote, isTemporary } = this.dependencies;
    try {
      const saved = await saveNote(this.#asStored(note), isLeaving);
      this.#mergeSaved(saved);
      stored.settle(saved.uid, saved);
      return true;
    } catch (reason) {
      if (isLeaving) return false;
      if (isTemporary(reason)) return false;
      const known = this.#notes.get(note.uid);
      if (known) this.#notes.set(note.uid, { ...known, error: toApiError(reason) });
      stored.add({ ...this.#asStored(note), isRefused: true });
      return true;
    } finally {
      this.#publish();
    }
  }

  #asStored({ uid, kind, second, content }: Note): StoredNote {
    return { uid, lesson: this.dependencies.lesson, kind, second, content };
  }

  #change(
    { uid, key, base }: Editor,
    place: { kind: Kind; second: number | null },
    text: string,
    isGone: boolean,
  ): void {
    const known = this.#notes.get(uid)?.content ?? emptyContent;
    const mine = [...known.edits, ...known.replaced].filter((edit) => edit.key === key);
    const revision = Math.max(0, ...mine.map((edit) => edit.revision)) + 1;
    const content = edited(base, key, { text, is_deleted: isGone, at: Date.now(), revision });
    if (![...this.#notes.values()].some((note) => note.isUnsent)) this.#firstUnsentAt = Date.now();
    const note: StoredNote = { uid, lesson: this.dependencies.lesson, ...place, content };
    this.#isStored = this.dependencies.stored.add(note);
    this.#merge(note, null);
    this.#publish();
    this.sendSoon();
  }

  #mergeSaved(saved: SavedNote): void {
    const { uid, kind, second, edits, replaced } = saved;
    const note = { uid, lesson: this.dependencies.lesson, kind, second };
    this.#merge({ ...note, content: { edits, replaced } }, saved);
  }

  #merge({ uid, kind, second, content }: StoredNote, saved: SavedNote | null): void {
    const known = this.#notes.get(uid);
    const merged = known ? merge(known.content, content) : content;
    const isUnsent = saved === null || !isContained(merged, content);
    this.#notes.set(uid, {
      uid,
      kind,
      second: known ? known.second : second,
      content: merged,
      html: saved ? saved.html : (known?.html ?? ""),
      rendered: saved ? saved.text : (known?.rendered ?? ""),
      isUnsent,
      // A text that was refused is sent again once it has changed.
      error: isUnsent && saved ? (known?.error ?? null) : null,
    });
  }

  #publish(): void {
    const all = [...this.#notes.values()];
    const isUnsent = all.some((note) => note.isUnsent);
    const isSending = all.some((note) => note.isUnsent && !note.error);
    const waits = this.#hasFailed || !isSending ? "kept" : "saving";
    this.#state = {
      ...this.#state,
      notes: all
        .filter(({ content }) => !isDeleted(content))
        .sort((a, b) => (a.second ?? -1) - (b.second ?? -1)),
      status: !isUnsent ? "saved" : this.#isStored ? waits : "lost",
    };
    for (const listener of this.#listeners) listener();
  }
}

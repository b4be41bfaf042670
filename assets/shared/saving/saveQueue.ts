/**
 * Saves the fields of one course or lesson while somebody writes: on this device at once, on the server soon after.
 * Nothing that is being written is ever replaced, but for the changes of another author that merge with it.
 */
import type { Unsaved, UnsavedStore } from "./unsavedStore";

export type Saved = { value: unknown; version: string };

/** What the server made of a change (`FieldOutcome` of the API). */
export type Outcome = {
  name: string;
  state: "saved" | "conflict" | "refused";
  version: string;
  value: unknown;
  problem: string;
  edited_by: string;
  edited_at: string | null;
};

export type FieldState =
  | "saved"
  | "device" // kept here, not on the server yet
  | "memory" // the device could not keep it either
  | "saving"
  | "refused"
  | "conflict";

export type Conflict = { value: unknown; version: string; by: string; at: string | null };

export type Field = {
  value: unknown;
  state: FieldState;
  /** Why the server refused the value. */
  problem: string;
  /** What another author made of it meanwhile. */
  conflict: Conflict | null;
};

export type Change = { value: unknown; base: string };

export type SaveQueueOptions = {
  saved: Record<string, Saved>;
  store: UnsavedStore;
  /** Sends changes; rejects if the server cannot be reached or refuses all of them. */
  send: (changes: Record<string, Change>, isLeaving: boolean) => Promise<readonly Outcome[]>;
  /** The text with both changes; null if they touch the same lines, or it is no text. */
  merge: (base: unknown, mine: unknown, theirs: unknown) => string | null;
  /** Something other than the user changed the value of a field: show it. */
  onReplaced: (name: string, value: unknown) => void;
  /** Whether a failure can pass by itself, as a lost connection; another one waits for the next change. */
  isTemporary: (reason: unknown) => boolean;
  now?: () => number;
};

type Entry = Field & { base: string; baseValue: unknown; at: number };

/** Milliseconds without a key until the server gets what was written, and the longest that it waits. */
export const PAUSE_MS = 800;
export const MAX_WAIT_MS = 3_000;
/** Milliseconds until a failed request is sent again, by number of failures; the last one repeats. */
export const RETRY_MS = [2_000, 4_000, 8_000, 15_000, 30_000];

export class SaveQueue {
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Set<() => void>();
  private snapshot: ReadonlyMap<string, Field> = new Map();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private firstUnsentAt: number | null = null;
  private isSending = false;
  private failures = 0;
  private readonly now: () => number;
  /** Why nothing can be saved now, other than a lost connection; "" while there is no reason. */
  failure: unknown = null;
  /** When the server last confirmed a change, in ms since 1970. */
  savedAt: number | null = null;

  constructor(private readonly options: SaveQueueOptions) {
    this.now = options.now ?? Date.now;
    for (const [name, { value, version }] of Object.entries(options.saved))
      this.entries.set(name, this.entryOf(value, version));
    this.takeUp(options.store.read());
    this.refresh();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The fields by name. The same object until something changes. */
  fields = (): ReadonlyMap<string, Field> => this.snapshot;

  /** Whether something is not on the server yet. */
  get isUnsaved(): boolean {
    return [...this.entries.values()].some(({ state }) => state !== "saved");
  }

  /** The user changed a field. */
  set(name: string, value: unknown): void {
    const entry = this.entries.get(name);
    if (!entry || isSame(entry.value, value)) return;
    Object.assign(entry, { value, at: this.now(), problem: "" });
    if (isSame(value, entry.baseValue) && entry.conflict === null && !this.isSending)
      entry.state = "saved";
    else if (entry.state !== "conflict") entry.state = "device";
    this.failure = null;
    this.keep();
    this.plan();
    this.refresh();
  }

  /** Decide a conflict: the user's value replaces the other one, or gives way to it. */
  resolve(name: string, choice: "mine" | "theirs"): void {
    const entry = this.entries.get(name);
    if (!entry?.conflict) return;
    const { value, version } = entry.conflict;
    Object.assign(entry, { base: version, baseValue: value, conflict: null });
    if (choice === "theirs") {
      Object.assign(entry, { value, state: "saved" });
      this.options.onReplaced(name, value);
    } else entry.state = "device";
    this.keep();
    this.plan(0);
    this.refresh();
  }

  /** Another author, or another tab, saved a field. */
  receive(name: string, theirs: Conflict): void {
    const entry = this.entries.get(name);
    if (!entry || entry.base === theirs.version) return;
    if (entry.state === "saved") {
      Object.assign(entry, this.entryOf(theirs.value, theirs.version));
      this.options.onReplaced(name, theirs.value);
    } else this.meet(name, entry, theirs);
    this.keep();
    this.plan();
    this.refresh();
  }

  /** Send what is unsaved now: the connection is back, or the user wants it. */
  flush(): void {
    this.failures = 0;
    this.plan(0);
  }

  /** Send what is unsaved while the page is left. The device keeps it anyway. */
  leave(): void {
    this.keep();
    const changes = this.changes();
    if (Object.keys(changes).length > 0 && !this.isSending)
      void this.options.send(changes, true).catch(() => undefined);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private entryOf(value: unknown, version: string): Entry {
    return {
      value,
      base: version,
      baseValue: value,
      at: 0,
      state: "saved",
      problem: "",
      conflict: null,
    };
  }

  /** What this device kept from before: it is newer than what the page came with. */
  private takeUp(kept: Record<string, Unsaved>): void {
    for (const [name, { value, base, baseValue, at }] of Object.entries(kept)) {
      const entry = this.entries.get(name);
      if (!entry || isSame(entry.value, value)) continue;
      const theirs = { value: entry.value, version: entry.base, by: "", at: null };
      Object.assign(entry, { value, base, baseValue, at, state: "device" });
      if (base !== theirs.version) this.meet(name, entry, theirs, false);
    }
    this.keep();
    this.plan(0);
  }

  /** Changes of two authors: merge them, or ask. */
  private meet(name: string, entry: Entry, theirs: Conflict, tells = true): void {
    const merged = isSame(entry.value, theirs.value)
      ? entry.value
      : this.options.merge(entry.baseValue, entry.value, theirs.value);
    if (merged === null) {
      Object.assign(entry, { conflict: theirs, state: "conflict" });
      return;
    }
    const isChanged = !isSame(merged, entry.value);
    Object.assign(entry, {
      value: merged,
      base: theirs.version,
      baseValue: theirs.value,
      conflict: null,
      state: isSame(merged, theirs.value) ? "saved" : "device",
    });
    if (isChanged && tells) this.options.onReplaced(name, merged);
  }

  private changes(): Record<string, Change> {
    const unsent = [...this.entries].filter(
      ([, { state }]) => state === "device" || state === "memory",
    );
    return Object.fromEntries(unsent.map(([name, { value, base }]) => [name, { value, base }]));
  }

  private keep(): void {
    const unsaved = [...this.entries].filter(([, { state }]) => state !== "saved");
    const isKept = this.options.store.write(
      Object.fromEntries(
        unsaved.map(([name, { value, base, baseValue, at }]) => [
          name,
          { value, base, baseValue, at },
        ]),
      ),
    );
    for (const [, entry] of unsaved)
      if (entry.state === "device" || entry.state === "memory")
        entry.state = isKept ? "device" : "memory";
  }

  private plan(wait = PAUSE_MS): void {
    if (this.isSending || Object.keys(this.changes()).length === 0) return;
    this.firstUnsentAt ??= this.now();
    const latest = this.firstUnsentAt + MAX_WAIT_MS - this.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.send(), Math.max(0, Math.min(wait, latest)));
  }

  private async send(): Promise<void> {
    const changes = this.changes();
    if (this.isSending || Object.keys(changes).length === 0) return;
    this.isSending = true;
    this.firstUnsentAt = null;
    for (const name of Object.keys(changes)) this.entry(name).state = "saving";
    this.refresh();
    try {
      const outcomes = await this.options.send(changes, false);
      this.isSending = false;
      this.failures = 0;
      for (const outcome of outcomes) this.settle(outcome, changes[outcome.name]);
      // What the answer forgot is still unsaved.
      for (const name of Object.keys(changes))
        if (this.entry(name).state === "saving") this.entry(name).state = "device";
      this.keep();
      this.plan();
    } catch (reason) {
      this.isSending = false;
      for (const name of Object.keys(changes))
        if (this.entry(name).state === "saving") this.entry(name).state = "device";
      this.keep();
      if (this.options.isTemporary(reason)) {
        const wait = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] ?? 0;
        this.failures++;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.send(), wait);
      } else this.failure = reason;
    }
    this.refresh();
  }

  private settle(outcome: Outcome, sent: Change | undefined): void {
    const entry = this.entries.get(outcome.name);
    if (!entry || !sent) return;
    const { version, value, problem, edited_by: by, edited_at: at } = outcome;
    const isUnchanged = isSame(entry.value, sent.value);
    if (outcome.state === "saved") {
      this.savedAt = this.now();
      Object.assign(entry, { base: version, baseValue: value, conflict: null });
      // The server may have tidied the value (spaces at its end): what stands in the field stays as it was typed.
      entry.state = isUnchanged ? "saved" : "device";
    } else if (outcome.state === "refused") {
      if (isUnchanged) Object.assign(entry, { state: "refused", problem });
      else entry.state = "device";
    } else this.meet(outcome.name, entry, { value, version, by, at });
  }

  private entry(name: string): Entry {
    const entry = this.entries.get(name);
    if (!entry) throw new Error(`There is no field “${name}”`);
    return entry;
  }

  private refresh(): void {
    this.snapshot = new Map(
      [...this.entries].map(([name, { value, state, problem, conflict }]) => [
        name,
        { value, state, problem, conflict },
      ]),
    );
    for (const listener of this.listeners) listener();
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

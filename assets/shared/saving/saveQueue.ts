/**
 * Saves the fields of one course or lesson while somebody writes: on this device at once, on the server soon after.
 * Nothing that is being written is ever replaced, but for the changes of another author that merge with it.
 */
import type { Unsaved, UnsavedStore } from "./unsavedStore";

/** A field as the server has it. `client` is the tab that saved it, where that is known. */
export type Saved = {
  value: unknown;
  version: string;
  edited_by?: string;
  edited_at?: string | null;
  client?: string;
};

/** What the server made of a change (`FieldOutcome` of the API). */
export type Outcome = {
  name: string;
  state: "saved" | "conflict" | "refused";
  version: string;
  value: unknown;
  problem: string;
  edited_by: string;
  edited_at: string | null;
  client?: string;
};

export type FieldState =
  | "saved"
  | "device" // kept here, not on the server yet
  | "memory" // the device could not keep it either
  | "saving"
  | "refused"
  | "conflict";

export type Conflict = {
  value: unknown;
  version: string;
  by: string;
  at: string | null;
  client?: string;
  /** Another text that this device kept: it is nowhere else. */
  isFromDevice?: boolean;
};

export type Field = {
  value: unknown;
  state: FieldState;
  /** Why the server refused the value. */
  problem: string;
  /** What another author made of it meanwhile. */
  conflict: Conflict | null;
  /** What another author made of it while the user is in the field: shown once they leave it. */
  incoming: Conflict | null;
};

export type Change = { value: unknown; base: string };

/** What a failure means: it passes by itself, a field of the request is wrong, or nothing can be saved now. */
export type Verdict = "later" | "field" | "stop";

export type SaveQueueOptions = {
  saved: Record<string, Saved>;
  store: UnsavedStore;
  /** What the device kept from before, the oldest first. */
  kept?: readonly Record<string, Unsaved>[];
  /** This tab, as the server names it in `client`. */
  client?: string;
  /** Sends changes; rejects if the server cannot be reached or refuses all of them. */
  send: (changes: Record<string, Change>, isLeaving: boolean) => Promise<readonly Outcome[]>;
  /** The text with both changes; null if they touch the same lines, or it is no text. */
  merge: (base: unknown, mine: unknown, theirs: unknown) => string | null;
  /** Something other than the user changed the value of a field: show it. */
  onReplaced: (name: string, value: unknown) => void;
  judge: (reason: unknown) => Verdict;
  /** Milliseconds until a failed request may be sent again, if the server says so. */
  waitOf?: (reason: unknown) => number | undefined;
};

/**
 * `base`: the version that the value comes from, `baseValue`: what the user's own changes are counted from, `settled`: the
 * step of the last answer, `clients`: the tabs whose texts are in it, `sentShown`: what it showed when it was sent, until
 * the answer comes.
 */
type Entry = Field & {
  base: string;
  baseValue: unknown;
  at: number;
  settled: number;
  clients: readonly string[];
  sentShown: unknown;
};

/** What was sent of a field, and what it showed then: more, if another author's change was merged for the server. */
type Sent = Change & { shown: unknown; isMerged: boolean };

/** Milliseconds without a key until the server gets what was written, and the longest that it waits. */
export const PAUSE_MS = 800;
export const MAX_WAIT_MS = 3_000;
/** Milliseconds until a failed request is sent again, by number of failures; the last one repeats. */
export const RETRY_MS = [2_000, 4_000, 8_000, 15_000, 30_000];
/** Milliseconds between attempts while nothing can be saved and somebody keeps writing. */
const STOPPED_MS = 15_000;

/** Two changes that do not fit in one value. */
const CLASH = Symbol("clash");

/** Milliseconds that go on evenly when the clock of the device is set. */
const elapsed = (): number => performance.now();

export class SaveQueue {
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Set<() => void>();
  private snapshot: ReadonlyMap<string, Field> = new Map();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private firstUnsentAt: number | null = null;
  private isSending = false;
  private failures = 0;
  /** One field per request: the server refused a request of several for the sake of one. */
  private isSingle = false;
  private focused = "";
  private step = 0;
  /** Why nothing can be saved until somebody does something about it; null while there is no reason. */
  failure: unknown = null;
  /** Why the last request failed, if that can pass by itself. */
  delay: unknown = null;
  /** When the server last confirmed a change, in ms since 1970. */
  savedAt: number | null = null;

  constructor(private readonly options: SaveQueueOptions) {
    for (const [name, { value, version }] of Object.entries(options.saved))
      this.entries.set(name, this.entryOf(value, version));
    for (const kept of options.kept ?? []) this.takeUp(kept);
    this.keep();
    this.plan(0);
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

  /** The user is in this field, or in none: nothing is written into it meanwhile. */
  focus(name: string): void {
    const left = this.entries.get(this.focused);
    const before = this.focused;
    this.focused = name;
    if (!left?.incoming || before === name) return;
    this.take(before, left, left.incoming);
    this.finish();
  }

  /** Show at once what another author made of the field that the user is in. */
  show(name: string): void {
    const entry = this.entries.get(name);
    if (entry?.incoming) this.take(name, entry, entry.incoming);
    this.finish();
  }

  /** The user changed a field. */
  set(name: string, value: unknown): void {
    const entry = this.entries.get(name);
    if (!entry || isSame(entry.value, value)) return;
    Object.assign(entry, { value, at: Date.now(), problem: "" });
    if (entry.state === "saved") entry.state = "device";
    if (this.clashes(entry)) return this.finish();
    if (isSame(value, entry.baseValue) && entry.conflict === null && !this.isSending)
      entry.state = "saved";
    else if (entry.state !== "conflict") entry.state = "device";
    this.finish();
  }

  /** Decide a conflict: the user's value replaces the other one, or gives way to it. */
  resolve(name: string, choice: "mine" | "theirs"): void {
    const entry = this.entries.get(name);
    if (!entry?.conflict) return;
    const { value, version, isFromDevice = false } = entry.conflict;
    Object.assign(entry, { base: version, conflict: null, state: "device" });
    if (!isFromDevice) entry.baseValue = value;
    if (choice === "theirs") {
      Object.assign(entry, { value, state: isFromDevice ? "device" : "saved" });
      this.options.onReplaced(name, value);
    }
    this.keep();
    this.plan(0);
    this.refresh();
  }

  /** A number for `receive`: what was asked for before it may be older than what was saved after it. */
  mark(): number {
    return this.step;
  }

  /** Another author, or another tab, saved a field. `asked`: the `mark` when the server was asked for its value. */
  receive(name: string, theirs: Conflict, asked = this.step): void {
    const entry = this.entries.get(name);
    if (!entry || entry.state === "saving" || entry.settled > asked) return;
    if (entry.base === theirs.version || entry.incoming?.version === theirs.version) return;
    if (
      entry.conflict &&
      (entry.conflict.isFromDevice || entry.conflict.version === theirs.version)
    )
      return;
    this.meet(name, entry, theirs);
    this.finish();
  }

  /** Take up what closed tabs left, if it was not known from the start. */
  adopt(kept: readonly Record<string, Unsaved>[]): void {
    const before = this.snapshot;
    for (const one of kept) this.takeUp(one);
    for (const [name, { value }] of this.entries)
      if (!isSame(value, before.get(name)?.value)) this.options.onReplaced(name, value);
    this.keep();
    this.plan(0);
    this.refresh();
  }

  /** Send what is unsaved now: the connection is back, or the user wants it. */
  flush(): void {
    this.failures = 0;
    this.failure = null;
    this.plan(0);
  }

  /** Send what is unsaved while the page is left. The device keeps it anyway. */
  leave(): void {
    this.keep();
    const changes = this.changes();
    if (Object.keys(changes).length === 0 || this.isSending) return;
    for (const [name, { shown }] of Object.entries(changes)) this.entry(name).sentShown = shown;
    void this.options.send(bodyOf(changes), true).catch(() => undefined);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private finish(): void {
    this.keep();
    this.plan();
    this.refresh();
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
      incoming: null,
      settled: 0,
      clients: this.options.client === undefined ? [] : [this.options.client],
      sentShown: undefined,
    };
  }

  /** What this device kept from before: it is newer than what the page came with. */
  private takeUp(kept: Record<string, Unsaved>): void {
    for (const [name, { value, base, baseValue, at, client }] of Object.entries(kept)) {
      const entry = this.entries.get(name);
      if (!entry || isSame(entry.value, value)) continue;
      if (entry.state !== "saved") {
        // Two tabs were closed with different texts: neither is lost.
        const other = { value: entry.value, version: entry.base, by: "", at: null };
        Object.assign(entry, { value, at, state: "conflict" });
        entry.conflict = { ...other, isFromDevice: true };
        continue;
      }
      const {
        edited_by: by = "",
        edited_at = null,
        ...now
      } = this.options.saved[name] ?? {
        value: entry.value,
        version: entry.base,
      };
      Object.assign(entry, { value, base, baseValue, at, state: "device" });
      if (client !== undefined) entry.clients = [...entry.clients, client];
      if (this.clashes(entry)) continue;
      if (base !== now.version) this.meet(name, entry, { ...now, by, at: edited_at }, false);
    }
  }

  /**
   * Both changes in one value. `CLASH` if they touch the same lines, or it is no text, or one of them cleared it: what
   * stands around a new line is part of what its author meant. A field may be null, so null says nothing.
   */
  private merged(entry: Entry, theirs: Conflict): unknown {
    if (isSame(entry.value, theirs.value)) return entry.value;
    if (entry.state === "saved" || isSame(entry.value, entry.baseValue)) return theirs.value;
    if (isCleared(entry.value) || isCleared(theirs.value)) return CLASH;
    return this.options.merge(entry.baseValue, entry.value, theirs.value) ?? CLASH;
  }

  /** Ask, if the value doesn't go together with the change of another author that is held back. */
  private clashes(entry: Entry): boolean {
    const { incoming } = entry;
    if (!incoming || this.merged(entry, incoming) !== CLASH) return false;
    Object.assign(entry, { conflict: incoming, incoming: null, state: "conflict" });
    return true;
  }

  /** The server has another value than the one that was known: take it, merge it, hold it back, or ask. */
  private meet(name: string, entry: Entry, theirs: Conflict, tells = true): void {
    const isOwn = theirs.client !== undefined && entry.clients.includes(theirs.client);
    // Otherwise this tab saved it beside the queue: as anyone else's, it is newer than what the field shows.
    if (isOwn && (entry.state !== "saved" || entry.sentShown !== undefined)) {
      // It was saved from here, though the answer was lost.
      const { value, version } = theirs;
      if (entry.incoming) Object.assign(entry, { incoming: theirs, baseValue: entry.sentShown });
      else Object.assign(entry, { base: version, baseValue: value, conflict: null });
      entry.state = isSame(entry.value, value) ? "saved" : "device";
      return;
    }
    const merged = this.merged(entry, theirs);
    if (merged === CLASH) {
      Object.assign(entry, { conflict: theirs, incoming: null, state: "conflict" });
      return;
    }
    if (name !== this.focused || isSame(merged, entry.value)) this.take(name, entry, theirs, tells);
    else Object.assign(entry, { incoming: theirs, conflict: null });
    if (entry.state === "conflict") entry.state = "device";
  }

  /** Take the other author's value, with the user's own changes where there are some. */
  private take(name: string, entry: Entry, theirs: Conflict, tells = true): void {
    const merged = this.merged(entry, theirs);
    if (merged === CLASH) {
      Object.assign(entry, { conflict: theirs, incoming: null, state: "conflict" });
      return;
    }
    const isChanged = !isSame(merged, entry.value);
    Object.assign(entry, {
      value: merged,
      base: theirs.version,
      baseValue: theirs.value,
      conflict: null,
      incoming: null,
      state: isSame(merged, theirs.value) ? "saved" : "device",
    });
    if (isChanged && tells) this.options.onReplaced(name, merged);
  }

  private changes(): Record<string, Sent> {
    const unsent = [...this.entries].filter(
      ([, { state }]) => state === "device" || state === "memory",
    );
    const found = unsent.map(([name, entry]): [string, Sent] => {
      const { value: shown, base, incoming } = entry;
      if (!incoming) return [name, { value: shown, base, shown, isMerged: false }];
      return [
        name,
        { value: this.merged(entry, incoming), base: incoming.version, shown, isMerged: true },
      ];
    });
    return Object.fromEntries(this.isSingle ? found.slice(0, 1) : found);
  }

  private keep(): void {
    const { client } = this.options;
    const unsaved = [...this.entries].filter(([, { state }]) => state !== "saved");
    const isKept = this.options.store.write(
      Object.fromEntries(
        unsaved.map(([name, { value, base, baseValue, at, incoming }]) => [
          name,
          {
            value,
            base,
            baseValue,
            at,
            // What this tab saved of a field with another author's changes is more than what the field shows.
            ...(incoming === null && client !== undefined && { client }),
          },
        ]),
      ),
    );
    for (const [, entry] of unsaved)
      if (entry.state === "device" || entry.state === "memory")
        entry.state = isKept ? "device" : "memory";
  }

  private plan(wait = PAUSE_MS): void {
    if (this.isSending || Object.keys(this.changes()).length === 0) return;
    if (this.failure !== null || this.failures > 0) {
      // A key is no reason to try again: the timer of the failure is.
      if (this.timer !== undefined && wait > 0) return;
      this.schedule(wait > 0 ? STOPPED_MS : 0);
      return;
    }
    this.firstUnsentAt ??= elapsed();
    const latest = this.firstUnsentAt + MAX_WAIT_MS - elapsed();
    this.schedule(Math.max(0, Math.min(wait, latest)));
  }

  private schedule(wait: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.send();
    }, wait);
  }

  private async send(): Promise<void> {
    const changes = this.changes();
    const names = Object.keys(changes);
    if (this.isSending || names.length === 0) return;
    this.isSending = true;
    this.firstUnsentAt = null;
    for (const [name, { shown }] of Object.entries(changes))
      Object.assign(this.entry(name), { state: "saving", sentShown: shown });
    this.refresh();
    let reason: unknown = null;
    try {
      const outcomes = await this.options.send(bodyOf(changes), false);
      this.failures = 0;
      this.failure = this.delay = null;
      this.step++;
      for (const outcome of outcomes) {
        this.settle(outcome, changes[outcome.name]);
        const entry = this.entries.get(outcome.name);
        if (entry) entry.sentShown = undefined;
      }
    } catch (thrown) {
      reason = thrown ?? new Error("unknown");
    }
    this.isSending = false;
    // What the answer forgot, and what failed, is still unsaved.
    for (const name of names)
      if (this.entry(name).state === "saving") this.entry(name).state = "device";
    if (reason !== null) this.fail(reason, names);
    this.keep();
    if (reason === null && Object.keys(this.changes()).length === 0) this.isSingle = false;
    if (this.failure === null) this.plan();
    this.refresh();
  }

  private fail(reason: unknown, names: readonly string[]): void {
    const verdict = this.options.judge(reason);
    if (verdict === "field" && names.length > 1) {
      this.isSingle = true;
      return;
    }
    if (verdict === "field") {
      const problem = reason instanceof Error ? reason.message : "";
      for (const name of names) Object.assign(this.entry(name), { state: "refused", problem });
      return;
    }
    const wait = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] ?? 0;
    this.failures++;
    this.failure = verdict === "stop" ? reason : null;
    this.delay = verdict === "later" ? reason : null;
    if (verdict === "later") this.schedule(this.options.waitOf?.(reason) ?? wait);
  }

  private settle(outcome: Outcome, sent: Sent | undefined): void {
    const entry = this.entries.get(outcome.name);
    if (!entry || !sent) return;
    const { version, value, problem, edited_by: by, edited_at: at, client } = outcome;
    const isUnchanged = isSame(entry.value, sent.shown);
    entry.settled = this.step;
    if (outcome.state === "saved") {
      this.savedAt = Date.now();
      const now: Conflict = { value, version, by, at };
      if (sent.isMerged && !isSame(entry.value, sent.value)) {
        const state = isUnchanged ? "saved" : "device";
        Object.assign(entry, { baseValue: sent.shown, conflict: null, incoming: null, state });
        this.meet(outcome.name, entry, now);
        return;
      }
      // The server may have tidied the value (spaces at its end): what stands in the field stays as it was typed.
      Object.assign(entry, {
        base: version,
        baseValue: sent.value,
        conflict: null,
        incoming: null,
      });
      entry.state = isSame(entry.value, sent.value) ? "saved" : "device";
    } else if (outcome.state === "refused") {
      if (isUnchanged) Object.assign(entry, { state: "refused", problem });
      else entry.state = "device";
    } else
      this.meet(outcome.name, entry, {
        value,
        version,
        by,
        at,
        ...(client !== undefined && { client }),
      });
  }

  private entry(name: string): Entry {
    const entry = this.entries.get(name);
    if (!entry) throw new Error(`There is no field “${name}”`);
    return entry;
  }

  private refresh(): void {
    this.snapshot = new Map(
      [...this.entries].map(([name, { value, state, problem, conflict, incoming }]) => [
        name,
        { value, state, problem, conflict, incoming },
      ]),
    );
    for (const listener of this.listeners) listener();
  }
}

/** Whether a value says that there is nothing: null, no text, no items. */
function isCleared(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === null || (Array.isArray(value) && value.length === 0);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function bodyOf(changes: Record<string, Sent>): Record<string, Change> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, { value, base }]) => [name, { value, base }]),
  );
}

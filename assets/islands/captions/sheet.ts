/**
 * The captions of one language while they are edited here: saved on this device at once, on the server soon after. Only
 * changed cues are sent, with the revision that the author has seen, so two authors never overwrite each other unseen.
 */
import { judge, waitOf } from "../../shared/saving/judge";
import { MAX_WAIT_MS, PAUSE_MS, RETRY_MS } from "../../shared/saving/saveQueue";
import type { Unsaved, UnsavedStore } from "../../shared/saving/unsavedStore";
import type { Changes, Saved, SheetData } from "./api";
import { type Cue, type Cues, newCue, sorted } from "./cues";

/** Cues of one call. */
const MAX_SENT = 400;
/** Cues of the call of a page that is closing: browsers allow 64 KiB. The device keeps the rest. */
const MAX_SENT_LEAVING = 60;

const CONTENT = ["begin", "end", "text", "settings", "chapter", "is_checked", "state"] as const;

export type Conflict = { theirs: Cue; by: string };

export type SheetState = {
  cues: Cues;
  /** Cues that another author has changed, too, by id. */
  conflicts: ReadonlyMap<string, Conflict>;
  saving: "saved" | "device" | "memory" | "saving";
  /** Why nothing can be saved until somebody does something about it. */
  failure: unknown;
  /** Why the last call failed, if that can pass by itself. */
  delay: unknown;
  savedAt: number | null;
  isChanged: boolean;
  isReplaced: boolean;
  published: string;
  sourceEncoding: string;
};

/** A change that can be taken back: cue by id, null where there is none. */
export type Patch = ReadonlyMap<string, { before: Cue | null; after: Cue | null }>;

export type SheetOptions = {
  data: SheetData;
  store: UnsavedStore;
  kept: readonly Record<string, Unsaved>[];
  author: string;
  send: (changes: Changes, isLeaving: boolean) => Promise<Saved>;
};

const isSame = (one: Cue, other: Cue): boolean =>
  one === other || CONTENT.every((name) => one[name] === other[name]);

const removed = (cue: Cue): Cue => ({ ...cue, state: "removed" });
/** The cue as the list has it: null for what was removed. */
const present = (cue: Cue | undefined | null): Cue | null =>
  !cue || cue.state === "removed" ? null : cue;

/** What differs between two lists. */
export function patchOf(before: Cues, after: Cues): Patch {
  const old = new Map(before.map((cue) => [cue.id, cue]));
  const patch = new Map<string, { before: Cue | null; after: Cue | null }>();
  for (const cue of after) {
    const was = old.get(cue.id) ?? null;
    if (was !== cue) patch.set(cue.id, { before: was, after: cue });
    old.delete(cue.id);
  }
  for (const [id, cue] of old) patch.set(id, { before: cue, after: null });
  return patch;
}

/** A cue with the changes of two authors; null if both changed the same field, each in another way. */
export function mergeCue(base: Cue, mine: Cue, theirs: Cue): Cue | null {
  const merged: Record<string, unknown> = { ...theirs };
  for (const name of CONTENT) {
    if (mine[name] === base[name] || mine[name] === theirs[name]) continue;
    if (theirs[name] !== base[name] && name !== "is_checked") return null;
    merged[name] = mine[name];
  }
  return merged as Cue;
}

export class Sheet {
  readonly language: string;
  readonly name: string;
  #server: Map<string, Cue>;
  #cues: Cues;
  #conflicts = new Map<string, Conflict>();
  #revision: number;
  #base: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firstUnsentAt: number | null = null;
  #isSending = false;
  #failures = 0;
  #isInMemoryOnly = false;
  #waiting: (() => void)[] = [];
  #listeners = new Set<() => void>();
  #state: SheetState;

  constructor(private readonly options: SheetOptions) {
    const { data } = options;
    this.language = data.language;
    this.name = data.name;
    this.#server = new Map(data.cues.map((cue) => [cue.id, cue]));
    this.#cues = sorted(data.cues.filter(({ state }) => state !== "removed"));
    this.#revision = data.revision;
    this.#base = data.base;
    for (const kept of options.kept) this.#takeUp(kept, data.edited_by);
    this.#state = {
      cues: this.#cues,
      conflicts: new Map(this.#conflicts),
      saving: "saved",
      failure: null,
      delay: null,
      savedAt: null,
      isChanged: data.is_changed,
      isReplaced: data.is_replaced,
      published: data.published,
      sourceEncoding: data.source_encoding,
    };
    if (this.#pending().length > 0) this.#changed(0);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  state = (): SheetState => this.#state;

  get revision(): number {
    return this.#revision;
  }

  /** Show other cues. @returns what that changed */
  set(cues: Cues): Patch {
    const patch = patchOf(this.#cues, cues);
    if (patch.size === 0) return patch;
    this.#cues = sorted(cues);
    this.#changed();
    return patch;
  }

  /** Do a change again, or take it back; what somebody else has changed since stays. */
  apply(patch: Patch, isBack: boolean): void {
    const next = new Map(this.#cues.map((cue) => [cue.id, cue]));
    for (const [id, { before, after }] of patch) {
      const [from, to] = isBack ? [after, before] : [before, after];
      const now = next.get(id) ?? null;
      if (now !== from && !(now && from && isSame(now, from))) continue;
      if (to) next.set(id, to);
      else next.delete(id);
    }
    this.#cues = sorted([...next.values()]);
    this.#changed();
  }

  /** The file from which cues were imported was in this encoding: it can be exported in it again. */
  setSourceEncoding(encoding: string): void {
    this.#refresh({ sourceEncoding: encoding });
  }

  /** Decide about a cue that another author has changed, too. */
  resolve(id: string, choice: "mine" | "theirs"): void {
    const conflict = this.#conflicts.get(id);
    if (!conflict) return;
    this.#conflicts.delete(id);
    this.#server.set(id, conflict.theirs);
    if (choice === "theirs") this.#show(id, present(conflict.theirs));
    this.#changed(0);
  }

  /** The server has another state of these captions: they were published or discarded here. */
  reset(data: SheetData): void {
    this.#server = new Map(data.cues.map((cue) => [cue.id, cue]));
    this.#cues = sorted(data.cues.filter(({ state }) => state !== "removed"));
    this.#conflicts.clear();
    this.#revision = data.revision;
    this.#base = data.base;
    this.options.store.write({});
    this.#refresh({
      failure: null,
      isChanged: data.is_changed,
      isReplaced: data.is_replaced,
      published: data.published,
      sourceEncoding: data.source_encoding,
      saving: "saved",
    });
  }

  /** Send what is unsaved now. @returns once the server has it, or it can't be sent */
  flush(): Promise<void> {
    if (this.#pending().length === 0 && !this.#isSending) return Promise.resolve();
    this.#failures = 0;
    const done = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#refresh({ failure: null });
    this.#plan(0);
    return done;
  }

  /** Learn what others have changed since. What is unsaved here is sent by itself. */
  async catchUp(): Promise<void> {
    if (this.isUnsaved) return;
    const answer = await this.options.send(this.#callOf([]), false);
    this.#take([], answer);
    this.#refresh({});
  }

  /** Whether something is not on the server yet. */
  get isUnsaved(): boolean {
    return this.#isSending || this.#conflicts.size > 0 || this.#pending().length > 0;
  }

  /** Send what is unsaved while the page is left. The device keeps it anyway. */
  leave(): void {
    this.#keep();
    const cues = this.#pending().slice(0, MAX_SENT_LEAVING);
    if (cues.length === 0 || this.#isSending) return;
    void this.options.send(this.#callOf(cues), true).catch(() => undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** The cues that the server doesn't have as they are here; removed ones as such. */
  #pending(): Cue[] {
    const left = new Map(this.#server);
    const changed: Cue[] = [];
    for (const cue of this.#cues) {
      const known = left.get(cue.id);
      left.delete(cue.id);
      if ((!known || !isSame(known, cue)) && !this.#conflicts.has(cue.id)) changed.push(cue);
    }
    for (const cue of left.values())
      if (cue.state !== "removed" && !this.#conflicts.has(cue.id)) changed.push(removed(cue));
    return changed;
  }

  #callOf(cues: Cue[]): Changes {
    return {
      author: this.options.author,
      since: this.#revision,
      base: this.#base,
      source_encoding: this.#state.sourceEncoding,
      // Only the fields that the call has: what the server adds to a cue is not sent back.
      cues: cues.map(({ id, begin, end, text, settings, chapter, is_checked, state }) => ({
        id,
        begin,
        end,
        text,
        settings,
        chapter,
        is_checked,
        state,
      })),
    };
  }

  #changed(wait = PAUSE_MS): void {
    this.#keep();
    this.#refresh({ saving: this.#isInMemoryOnly ? "memory" : "device", isChanged: true });
    this.#plan(wait);
  }

  #plan(wait: number): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#firstUnsentAt ??= now;
    const left = Math.max(0, this.#firstUnsentAt + MAX_WAIT_MS - now);
    this.#timer = setTimeout(() => void this.#send(), Math.min(wait, left));
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    const all = this.#pending();
    const cues = all.slice(0, MAX_SENT);
    this.#firstUnsentAt = null;
    if (cues.length === 0) {
      this.#settle();
      return;
    }
    this.#isSending = true;
    this.#refresh({ saving: "saving" });
    try {
      const answer = await this.options.send(this.#callOf(cues), false);
      this.#failures = 0;
      this.#take(cues, answer);
      this.#refresh({ failure: null, delay: null, savedAt: Date.now(), isChanged: true });
    } catch (reason) {
      this.#isSending = false;
      this.#fail(reason);
      return;
    }
    this.#isSending = false;
    if (this.#pending().length > 0) this.#plan(all.length > cues.length ? 0 : PAUSE_MS);
    else this.#settle();
  }

  #settle(): void {
    this.#keep();
    const isUnsaved = this.#pending().length > 0 || this.#conflicts.size > 0;
    this.#refresh({ saving: isUnsaved ? "device" : "saved" });
    this.#release();
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #fail(reason: unknown): void {
    const saving = this.#isInMemoryOnly ? "memory" : "device";
    if (judge(reason) === "later") {
      const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] ?? 0;
      this.#failures += 1;
      this.#refresh({ delay: reason, saving });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#send(), waitOf(reason) ?? wait);
    } else this.#refresh({ failure: reason, saving });
    this.#release();
  }

  /** Take the server's answer: what it has saved, and what others have changed. */
  #take(sent: Cue[], { revision, cues: theirs, conflicts, edited_by: by }: Saved): void {
    const refused = new Set(conflicts);
    const bases = new Map(theirs.map((cue) => [cue.id, this.#server.get(cue.id) ?? null]));
    for (const cue of sent) if (!refused.has(cue.id)) this.#server.set(cue.id, cue);
    this.#revision = revision;
    for (const cue of theirs) this.#meet(cue, bases.get(cue.id) ?? null, by);
  }

  /** Another author's cue meets the one that is here. */
  #meet(theirs: Cue, base: Cue | null, by: string): void {
    const mine = this.#cues.find(({ id }) => id === theirs.id) ?? null;
    const asHere = mine ?? (base ? removed(base) : null);
    this.#server.set(theirs.id, theirs);
    if (!asHere || (base && isSame(asHere, base)) || isSame(asHere, theirs)) {
      this.#show(theirs.id, present(theirs));
      return;
    }
    const merged = base ? mergeCue(base, asHere, theirs) : null;
    if (merged) this.#show(theirs.id, present(merged));
    else this.#conflicts.set(theirs.id, { theirs, by });
  }

  #show(id: string, cue: Cue | null): void {
    const others = this.#cues.filter((one) => one.id !== id);
    this.#cues = cue ? sorted([...others, cue]) : others;
  }

  /** What this device kept from before: it is newer than what the page came with. */
  #takeUp(kept: Record<string, Unsaved>, by: string): void {
    for (const [id, { value, base, baseValue }] of Object.entries(kept)) {
      const mine = value as Cue | null;
      const theirs = this.#server.get(id);
      if (base !== this.#base) {
        // Other captions were published meanwhile: what was typed is kept beside them.
        if (mine && mine.text.trim() !== "")
          this.#show(mine.id, {
            ...newCue(mine.begin, mine.end, mine.text),
            state: "aside",
          });
        continue;
      }
      const known = baseValue as Cue | null;
      if (!theirs || (known && isSame(theirs, known)) || !known) {
        this.#show(id, mine);
        continue;
      }
      const merged = mergeCue(known, mine ?? removed(known), theirs);
      if (merged) this.#show(id, present(merged));
      else {
        this.#show(id, mine);
        this.#conflicts.set(id, { theirs, by });
      }
    }
  }

  #keep(): void {
    const at = Date.now();
    const held = this.#cues.filter(({ id }) => this.#conflicts.has(id));
    const fields = Object.fromEntries(
      [...this.#pending(), ...held].map((cue): [string, Unsaved] => [
        cue.id,
        {
          value: present(cue),
          base: this.#base,
          baseValue: this.#server.get(cue.id) ?? null,
          at,
        },
      ]),
    );
    this.#isInMemoryOnly = !this.options.store.write(fields);
  }

  #refresh(part: Partial<SheetState>): void {
    this.#state = {
      ...this.#state,
      cues: this.#cues,
      conflicts: new Map(this.#conflicts),
      ...part,
    };
    for (const listener of this.#listeners) listener();
  }
}

/**
 * The captions of one language while they are edited here: saved on this device at once, on the server soon after. Only
 * changed cues are sent, with the revision that the author has seen, so two authors never overwrite each other unseen.
 */
import { ApiError } from "../../shared/api/errors";
import { judge, waitOf } from "../../shared/saving/judge";
import { MAX_WAIT_MS, PAUSE_MS, RETRY_MS } from "../../shared/saving/saveQueue";
import type { Unsaved, UnsavedStore } from "../../shared/saving/unsavedStore";
import type { Changes, Saved, SheetData } from "./api";
import { type Cue, type Cues, newCue, sorted } from "./cues";
import { isSame, mergeCue, type Patch, patchOf, present, removed } from "./merging";

/** Cues of one call. */
const MAX_SENT = 400;
/** Cues of the call of a page that is closing: browsers allow 64 KiB. The device keeps the rest. */
const MAX_SENT_LEAVING = 60;

export type Conflict = {
  theirs: Cue;
  by: string;
  /** The cue with which both began; null if neither knew it. */
  base: Cue | null;
  /** It was deleted here: the list shows theirs until somebody decides. */
  isDeleted: boolean;
};
/** A cue that the server does not accept, and why. It is sent again once it has changed. */
export type Refusal = { cue: Cue; reason: string };

export type SheetState = {
  cues: Cues;
  /** Cues that another author has changed, too, by id. */
  conflicts: ReadonlyMap<string, Conflict>;
  refused: ReadonlyMap<string, Refusal>;
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

export type SheetOptions = {
  data: SheetData;
  store: UnsavedStore;
  kept: readonly Record<string, Unsaved>[];
  author: string;
  send: (changes: Changes, isLeaving: boolean) => Promise<Saved>;
  /** What the server has now. */
  load: () => Promise<SheetData>;
};

/** What a cue that differs here meets: when both sides changed it, mine may win without a question. */
type Meeting = { by: string; isMineBest?: boolean; isOther?: boolean };

export class Sheet {
  readonly language: string;
  readonly name: string;
  #server: Map<string, Cue>;
  #cues: Cues;
  #conflicts = new Map<string, Conflict>();
  #refused = new Map<string, Refusal>();
  #revision: number;
  #base: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firstUnsentAt: number | null = null;
  #isSending = false;
  /** The save under way, or the last one. */
  #call: Promise<void> = Promise.resolve();
  /** Nothing is saved while the server puts other captions in the place of these. */
  #isHeld = false;
  /** Captions were loaded again, and nothing was saved since: it doesn't help a second time. */
  #isReloaded = false;
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
      refused: new Map(),
      saving: "saved",
      failure: null,
      delay: null,
      savedAt: null,
      isChanged: data.is_changed,
      isReplaced: data.is_replaced,
      published: data.published,
      sourceEncoding: data.source_encoding,
    };
    if (this.isUnsaved) this.#changed(0);
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
    this.#reconsider();
    this.#changed();
    return patch;
  }

  /** Do a change again, or take it back; what somebody else has changed since stays. */
  apply(patch: Patch, isBack: boolean): void {
    const next = new Map(this.#cues.map((cue) => [cue.id, cue]));
    for (const [id, { before, after }] of patch) {
      const [from, to] = isBack ? [after, before] : [before, after];
      const conflict = this.#conflicts.get(id);
      const now = conflict?.isDeleted ? null : (next.get(id) ?? null);
      if (now !== from && !(now && from && isSame(now, from))) continue;
      // A cue that was deleted here and changed elsewhere is back: both are shown.
      if (to && conflict) this.#conflicts.set(id, { ...conflict, isDeleted: false });
      if (to) next.set(id, to);
      else next.delete(id);
    }
    this.#cues = sorted([...next.values()]);
    this.#reconsider();
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
    else if (conflict.isDeleted) this.#show(id, null);
    this.#changed(0);
  }

  /**
   * Let the server put other captions in the place of these, as when they are published or discarded. Nothing is saved
   * meanwhile; what is typed meanwhile stays, as a change of what the server answers.
   */
  async replaceBy(call: () => Promise<SheetData>, isDiscarding = false): Promise<void> {
    this.#isHeld = true;
    try {
      await this.#call;
      const before = new Map(this.#cues.map((cue) => [cue.id, cue]));
      const data = await call();
      if (isDiscarding) this.#conflicts.clear();
      this.#rebase(data, before, isDiscarding);
    } finally {
      this.#isHeld = false;
      if (this.#pending().length > 0) this.#plan(0);
      else this.#settle();
    }
  }

  /** Send what is unsaved now. @returns once the server has it, or it can't be sent */
  flush(): Promise<void> {
    if (this.#pending().length === 0 && !this.#isSending) return Promise.resolve();
    this.#failures = 0;
    this.#isReloaded = false;
    const done = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#refresh({ failure: null });
    this.#plan(0);
    return done;
  }

  /** Learn what others have changed since. What is unsaved here is sent by itself. */
  async catchUp(): Promise<void> {
    if (this.#isHeld || this.isUnsaved) return;
    try {
      this.#take([], await this.options.send(this.#callOf([]), false));
      this.#refresh({});
    } catch (reason) {
      if (!isReplaced(reason)) throw reason;
      await this.#reload();
      this.#isReloaded = false;
    }
    if (this.#pending().length > 0 || this.#isHeldHere) this.#changed();
  }

  /** Whether something is not on the server yet. */
  get isUnsaved(): boolean {
    return this.#isSending || this.#isHeldHere || this.#pending().length > 0;
  }

  /** Whether there are cues that can't be sent before somebody decides about them. */
  get #isHeldHere(): boolean {
    return this.#conflicts.size > 0 || this.#refused.size > 0;
  }

  /** Send what is unsaved while the page is left. The device keeps it anyway. */
  leave(): void {
    this.#keep();
    const cues = this.#pending().slice(0, MAX_SENT_LEAVING);
    if (cues.length === 0 || this.#isSending || this.#isHeld) return;
    void this.options.send(this.#callOf(cues), true).catch(() => undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** The cues that are to be sent: those that the server doesn't have as they are here; removed ones as such. */
  #pending(): Cue[] {
    const left = new Map(this.#server);
    const changed: Cue[] = [];
    const isHere = ({ id }: Cue): boolean => this.#conflicts.has(id) || this.#refused.has(id);
    for (const cue of this.#cues) {
      const known = left.get(cue.id);
      left.delete(cue.id);
      if ((!known || !isSame(known, cue)) && !isHere(cue)) changed.push(cue);
    }
    for (const cue of left.values())
      if (cue.state !== "removed" && !isHere(cue)) changed.push(removed(cue));
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
    this.#timer = setTimeout(() => this.#begin(), Math.min(wait, left));
  }

  #begin(): void {
    if (!this.#isSending && !this.#isHeld) this.#call = this.#send();
  }

  async #send(): Promise<void> {
    const all = this.#pending();
    const cues = all.slice(0, MAX_SENT);
    this.#firstUnsentAt = null;
    if (cues.length === 0) {
      this.#settle();
      return;
    }
    this.#isSending = true;
    this.#refresh({ saving: "saving" });
    let isMore = all.length > cues.length;
    try {
      const answer = await this.options.send(this.#callOf(cues), false);
      this.#failures = 0;
      this.#isReloaded = false;
      this.#take(cues, answer);
      this.#refresh({ failure: null, delay: null, savedAt: Date.now(), isChanged: true });
    } catch (reason) {
      if (!this.#refuse(cues, reason) && !(await this.#isHelped(reason))) {
        this.#isSending = false;
        return;
      }
      isMore = true;
    }
    this.#isSending = false;
    if (this.#pending().length > 0) this.#plan(isMore ? 0 : PAUSE_MS);
    else this.#settle();
  }

  #settle(): void {
    this.#keep();
    const kept = this.#isInMemoryOnly ? "memory" : "device";
    const isUnsaved = this.#pending().length > 0 || this.#isHeldHere;
    this.#refresh({ saving: isUnsaved ? kept : "saved" });
    this.#release();
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Leave out the cues that the server does not accept, so that it takes the others. @returns whether there are any */
  #refuse(sent: readonly Cue[], reason: unknown): boolean {
    if (!(reason instanceof ApiError) || judge(reason) !== "field") return false;
    const found = Object.entries(reason.problem.fields).flatMap(([path, [said]]) => {
      const cue = sent[Number(/^cues\.(\d+)(\.|$)/.exec(path)?.[1] ?? NaN)];
      return cue ? [{ cue, reason: said?.message ?? reason.message }] : [];
    });
    for (const refusal of found) this.#refused.set(refusal.cue.id, refusal);
    this.#reconsider(); // what was typed meanwhile may be accepted
    return found.length > 0;
  }

  /** Whether loading the captions again has helped: others were published, or the changes were discarded. */
  async #isHelped(reason: unknown): Promise<boolean> {
    try {
      if (!isReplaced(reason) || this.#isReloaded) throw reason;
      await this.#reload();
      return true;
    } catch (problem) {
      this.#fail(problem);
      return false;
    }
  }

  async #reload(): Promise<void> {
    const data = await this.options.load();
    this.#isReloaded = true;
    this.#rebase(data, this.#server);
  }

  #fail(reason: unknown): void {
    const saving = this.#isInMemoryOnly ? "memory" : "device";
    if (judge(reason) === "later") {
      const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] ?? 0;
      this.#failures += 1;
      this.#refresh({ delay: reason, saving });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#begin(), waitOf(reason) ?? wait);
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
  #meet(theirs: Cue, known: Cue | null, by: string): void {
    const { id } = theirs;
    const conflict = this.#conflicts.get(id);
    const base = conflict ? conflict.base : known;
    const mine = this.#mine(id) ?? (base && removed(base));
    this.#server.set(id, theirs);
    this.#conflicts.delete(id);
    if (!mine || (base && isSame(mine, base))) this.#show(id, present(theirs));
    else this.#join(id, mine, base, { by });
  }

  /** The cue as its author left it here; null if there is none. */
  #mine(id: string): Cue | null {
    if (this.#conflicts.get(id)?.isDeleted) return null;
    return this.#cues.find((cue) => cue.id === id) ?? null;
  }

  /** A cue that differs here from the one it was made of meets what the server has of it. */
  #join(id: string, mine: Cue, base: Cue | null, { by, isMineBest, isOther }: Meeting): void {
    let theirs = this.#server.get(id);
    if (!theirs && base && !isOther && !isMineBest) {
      // It was deleted, and published since: the mark of that is gone.
      theirs = removed(base);
      this.#server.set(id, theirs);
    }
    if (!theirs) {
      // In other captions it has no place of its own: it is kept beside them.
      if (!isOther) this.#show(id, present(mine));
      else this.#setAside(present(mine));
      return;
    }
    const merged = isSame(mine, theirs) ? theirs : base && mergeCue(base, mine, theirs);
    if (merged ?? isMineBest) {
      this.#show(id, present(merged ?? mine));
      return;
    }
    const isDeleted = mine.state === "removed";
    this.#show(id, isDeleted ? theirs : mine);
    this.#conflicts.set(id, { theirs, by, base, isDeleted });
  }

  #setAside(cue: Cue | null): void {
    if (!cue || cue.text.trim() === "") return;
    const isThere = this.#cues.some(
      ({ begin, text }) => begin === cue.begin && text.trim() === cue.text.trim(),
    );
    if (isThere) return;
    const copy: Cue = { ...newCue(cue.begin, cue.end, cue.text), state: "aside" };
    this.#show(copy.id, copy);
  }

  /**
   * Take the captions that the server has now, with what was changed here.
   * @param before what the changes were made of
   */
  #rebase(data: SheetData, before: ReadonlyMap<string, Cue>, isMineBest = false): void {
    const mine = new Map(this.#cues.map((cue) => [cue.id, cue]));
    const bases = new Map<string, Cue | null>(before);
    for (const [id, { base, isDeleted }] of this.#conflicts) {
      bases.set(id, base);
      if (isDeleted) mine.delete(id);
    }
    const isOther = data.cues.length > 0 && !data.cues.some(({ id }) => this.#server.has(id));
    this.#server = new Map(data.cues.map((cue) => [cue.id, cue]));
    this.#cues = sorted(data.cues.filter(({ state }) => state !== "removed"));
    this.#conflicts.clear();
    this.#revision = data.revision;
    this.#base = data.base;
    for (const id of new Set([...bases.keys(), ...mine.keys()])) {
      const base = bases.get(id) ?? null;
      const here = mine.get(id) ?? (base && removed(base));
      if (!here || (base && isSame(here, base))) continue;
      this.#join(id, here, base, { by: data.edited_by, isMineBest, isOther });
    }
    this.#reconsider();
    this.#keep();
    this.#refresh({
      failure: null,
      delay: null,
      isChanged: data.is_changed || this.isUnsaved,
      isReplaced: data.is_replaced,
      published: data.published,
      sourceEncoding: data.source_encoding,
      saving: this.#pending().length > 0 || this.#isHeldHere ? "device" : "saved",
    });
  }

  /** Conflicts and refusals of cues that have changed here since may be over. */
  #reconsider(): void {
    if (!this.#isHeldHere) return;
    const now = new Map(this.#cues.map((cue) => [cue.id, cue]));
    for (const [id, { cue }] of this.#refused) {
      const here = now.get(id) ?? (this.#server.has(id) ? removed(cue) : null);
      if (!here || !isSame(here, cue)) this.#refused.delete(id);
    }
    for (const [id, conflict] of this.#conflicts) {
      const here = now.get(id);
      const { theirs, isDeleted } = conflict;
      const isAsTheirs = here ? isSame(here, theirs) : theirs.state === "removed";
      // Theirs was shown, and is changed or deleted: that is the decision.
      if (isDeleted ? !isAsTheirs : isAsTheirs) this.#conflicts.delete(id);
      else if (!here) {
        this.#show(id, theirs);
        this.#conflicts.set(id, { ...conflict, isDeleted: true });
      }
    }
  }

  #show(id: string, cue: Cue | null): void {
    const others = this.#cues.filter((one) => one.id !== id);
    this.#cues = cue ? sorted([...others, cue]) : others;
  }

  /** What this device kept from before: it is newer than what the page came with. */
  #takeUp(kept: Record<string, Unsaved>, by: string): void {
    for (const [id, { value, base, baseValue }] of Object.entries(kept)) {
      const known = baseValue as Cue | null;
      const mine = (value as Cue | null) ?? (known && removed(known));
      if (mine) this.#join(id, mine, known, { by, isOther: base !== this.#base });
    }
  }

  #keep(): void {
    const at = Date.now();
    const kept = (value: Cue | null, baseValue: Cue | null): Unsaved => ({
      value,
      base: this.#base,
      baseValue,
      at,
    });
    const known = (id: string): Cue | null => this.#server.get(id) ?? null;
    const fields: Record<string, Unsaved> = {};
    for (const cue of this.#pending()) fields[cue.id] = kept(present(cue), known(cue.id));
    for (const [id, { cue }] of this.#refused) fields[id] = kept(present(cue), known(id));
    // With what both began: the next visit sees the conflict, too.
    for (const [id, { base }] of this.#conflicts) fields[id] = kept(this.#mine(id), base);
    this.#isInMemoryOnly = !this.options.store.write(fields);
  }

  #refresh(part: Partial<SheetState>): void {
    this.#state = {
      ...this.#state,
      cues: this.#cues,
      conflicts: new Map(this.#conflicts),
      refused: new Map(this.#refused),
      ...part,
    };
    for (const listener of this.#listeners) listener();
  }
}

const isReplaced = (reason: unknown): boolean =>
  reason instanceof ApiError && reason.is("CAPTIONS_REPLACED");

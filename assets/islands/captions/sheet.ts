/**
 * The captions of one language while they are edited here: saved on this device at once, on the server soon after. Only
 * changed cues are sent, with the revision that the author has seen, so two authors never overwrite each other unseen.
 */
import { ApiError } from "../../shared/api/errors";
import { judge, waitOf } from "../../shared/saving/judge";
import { MAX_WAIT_MS, PAUSE_MS, RETRY_MS } from "../../shared/saving/saveQueue";
import type { Unsaved, UnsavedStore } from "../../shared/saving/unsavedStore";
import type { Changes, Saved, SheetData } from "./api";
import type { Cue, Cues } from "./cues";
import type { Patch } from "./merging";
import { type Conflict, type Refusal, SharedCues } from "./sharedCues";

/** Cues of one call. */
const MAX_SENT = 400;
/** Cues of the call of a page that is closing: browsers allow 64 KiB. The device keeps the rest. */
const MAX_SENT_LEAVING = 60;

export type { Conflict, Refusal };

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

export class Sheet {
  readonly language: string;
  readonly name: string;
  #shared: SharedCues;
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
    this.#shared = new SharedCues(data.cues);
    this.#revision = data.revision;
    this.#base = data.base;
    for (const kept of options.kept) this.#shared.takeUp(kept, data.edited_by, data.base);
    this.#state = {
      ...this.#shown(),
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
    const patch = this.#shared.set(cues);
    if (patch.size > 0) this.#changed();
    return patch;
  }

  /** Do a change again, or take it back; what somebody else has changed since stays. */
  apply(patch: Patch, isBack: boolean): void {
    this.#shared.apply(patch, isBack);
    this.#changed();
  }

  /** Decide about a cue that another author has changed, too. */
  resolve(id: string, choice: "mine" | "theirs"): void {
    if (this.#shared.resolve(id, choice)) this.#changed(0);
  }

  /** The file from which cues were imported was in this encoding: it can be exported in it again. */
  setSourceEncoding(encoding: string): void {
    this.#refresh({ sourceEncoding: encoding });
  }

  /**
   * Let the server put other captions in the place of these, as when they are published or discarded. Nothing is saved
   * meanwhile; what is typed meanwhile stays, as a change of what the server answers.
   */
  async replaceBy(call: () => Promise<SheetData>, isDiscarding = false): Promise<void> {
    this.#isHeld = true;
    try {
      await this.#call;
      const before = new Map(this.#shared.cues.map((cue) => [cue.id, cue]));
      const data = await call();
      this.#rebase(data, before, isDiscarding);
    } finally {
      this.#isHeld = false;
      if (this.#shared.pending().length > 0) this.#plan(0);
      else this.#settle();
    }
  }

  /** Send what is unsaved now. @returns once the server has it, or it can't be sent */
  flush(): Promise<void> {
    if (this.#shared.pending().length === 0 && !this.#isSending) return Promise.resolve();
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
    if (this.#shared.pending().length > 0 || this.#shared.isUndecided) this.#changed();
  }

  /** Whether something is not on the server yet. */
  get isUnsaved(): boolean {
    return this.#isSending || this.#shared.isUndecided || this.#shared.pending().length > 0;
  }

  /** Send what is unsaved while the page is left. The device keeps it anyway. */
  leave(): void {
    this.#keep();
    const cues = this.#shared.pending().slice(0, MAX_SENT_LEAVING);
    if (cues.length === 0 || this.#isSending || this.#isHeld) return;
    void this.options.send(this.#callOf(cues), true).catch(() => undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
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
    const all = this.#shared.pending();
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
    if (this.#shared.pending().length > 0) this.#plan(isMore ? 0 : PAUSE_MS);
    else this.#settle();
  }

  #settle(): void {
    this.#keep();
    const kept = this.#isInMemoryOnly ? "memory" : "device";
    const isUnsaved = this.#shared.pending().length > 0 || this.#shared.isUndecided;
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
    this.#shared.refuse(found);
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
    this.#rebase(data, this.#shared.server);
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

  #take(sent: readonly Cue[], answer: Saved): void {
    this.#revision = answer.revision;
    this.#shared.take(sent, answer);
  }

  /**
   * Take the captions that the server has now, with what was changed here.
   * @param before what the changes were made of
   */
  #rebase(data: SheetData, before: ReadonlyMap<string, Cue>, isMineBest = false): void {
    this.#shared.rebase(data.cues, before, { by: data.edited_by, isMineBest });
    this.#revision = data.revision;
    this.#base = data.base;
    this.#keep();
    this.#refresh({
      failure: null,
      delay: null,
      isChanged: data.is_changed || this.isUnsaved,
      isReplaced: data.is_replaced,
      published: data.published,
      sourceEncoding: data.source_encoding,
      saving: this.#shared.pending().length > 0 || this.#shared.isUndecided ? "device" : "saved",
    });
  }

  #keep(): void {
    this.#isInMemoryOnly = !this.options.store.write(this.#shared.kept(this.#base));
  }

  #shown(): Pick<SheetState, "cues" | "conflicts" | "refused"> {
    const { cues, conflicts, refused } = this.#shared;
    return { cues, conflicts: new Map(conflicts), refused: new Map(refused) };
  }

  #refresh(part: Partial<SheetState>): void {
    this.#state = {
      ...this.#state,
      ...this.#shown(),
      ...part,
    };
    for (const listener of this.#listeners) listener();
  }
}

const isReplaced = (reason: unknown): boolean =>
  reason instanceof ApiError && reason.is("CAPTIONS_REPLACED");

/** The cues of one language as they are here, and as the server has them: what differs is to be sent, or decided. */
import type { Unsaved } from "../../shared/saving/unsavedStore";
import type { Saved } from "./api";
import { type Cue, type Cues, newCue, sorted } from "./cues";
import { isSame, mergeCue, type Patch, patchOf, present, removed } from "./merging";

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

/** What a cue that differs here meets: when both sides changed it, mine may win without a question. */
type Meeting = { by: string; isMineBest?: boolean; isOther?: boolean };

export class SharedCues {
  #server: Map<string, Cue>;
  #cues: Cues;
  #conflicts = new Map<string, Conflict>();
  #refused = new Map<string, Refusal>();

  constructor(cues: Cues) {
    this.#server = byId(cues);
    this.#cues = withoutRemoved(cues);
  }

  /** As they are here. */
  get cues(): Cues {
    return this.#cues;
  }

  get conflicts(): ReadonlyMap<string, Conflict> {
    return this.#conflicts;
  }

  get refused(): ReadonlyMap<string, Refusal> {
    return this.#refused;
  }

  /** As the server has them, removed ones too. */
  get server(): ReadonlyMap<string, Cue> {
    return this.#server;
  }

  /** Whether there are cues that can't be sent before somebody decides about them. */
  get isUndecided(): boolean {
    return this.#conflicts.size > 0 || this.#refused.size > 0;
  }

  /** Show other cues. @returns what that changed */
  set(cues: Cues): Patch {
    const patch = patchOf(this.#cues, cues);
    if (patch.size > 0) {
      this.#cues = sorted(cues);
      this.#reconsider();
    }
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
  }

  /** Decide about a cue that another author has changed, too. @returns whether there was something to decide */
  resolve(id: string, choice: "mine" | "theirs"): boolean {
    const conflict = this.#conflicts.get(id);
    if (!conflict) return false;
    this.#conflicts.delete(id);
    this.#server.set(id, conflict.theirs);
    if (choice === "theirs") this.#show(id, present(conflict.theirs));
    else if (conflict.isDeleted) this.#show(id, null);
    return true;
  }

  /** The cues that are to be sent: those that the server doesn't have as they are here; removed ones as such. */
  pending(): Cue[] {
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

  /** Leave out cues that the server does not accept, unless they have changed meanwhile. */
  refuse(found: readonly Refusal[]): void {
    for (const refusal of found) this.#refused.set(refusal.cue.id, refusal);
    this.#reconsider();
  }

  /** Take the server's answer: what it has saved, and what others have changed. */
  take(sent: readonly Cue[], { cues: theirs, conflicts, edited_by: by }: Saved): void {
    const refused = new Set(conflicts);
    const bases = new Map(theirs.map((cue) => [cue.id, this.#server.get(cue.id) ?? null]));
    for (const cue of sent) if (!refused.has(cue.id)) this.#server.set(cue.id, cue);
    for (const cue of theirs) this.#meet(cue, bases.get(cue.id) ?? null, by);
  }

  /**
   * Take all cues that the server has now, with what was changed here.
   * @param before what the changes were made of
   */
  rebase(
    cues: Cues,
    before: ReadonlyMap<string, Cue>,
    { by, isMineBest }: { by: string; isMineBest: boolean },
  ): void {
    const mine = byId(this.#cues);
    const bases = new Map<string, Cue | null>(before);
    for (const [id, { base, isDeleted }] of isMineBest ? [] : this.#conflicts) {
      bases.set(id, base);
      if (isDeleted) mine.delete(id);
    }
    const isOther = cues.length > 0 && !cues.some(({ id }) => this.#server.has(id));
    this.#server = byId(cues);
    this.#cues = withoutRemoved(cues);
    this.#conflicts.clear();
    for (const id of new Set([...bases.keys(), ...mine.keys()])) {
      const base = bases.get(id) ?? null;
      const here = mine.get(id) ?? (base && removed(base));
      if (!here || (base && isSame(here, base))) continue;
      this.#join(id, here, base, { by, isMineBest, isOther });
    }
    this.#reconsider();
  }

  /** What this device kept from before: it is newer than what the page came with. @param now the base of that */
  takeUp(kept: Record<string, Unsaved>, by: string, now: string): void {
    for (const [id, { value, base, baseValue }] of Object.entries(kept)) {
      const known = baseValue as Cue | null;
      const mine = (value as Cue | null) ?? (known && removed(known));
      if (mine) this.#join(id, mine, known, { by, isOther: base !== now });
    }
  }

  /** What the device is to keep. @param base of what the server has */
  kept(base: string): Record<string, Unsaved> {
    const at = Date.now();
    const kept = (value: Cue | null, baseValue: Cue | null): Unsaved => ({
      value,
      base,
      baseValue,
      at,
    });
    const known = (id: string): Cue | null => this.#server.get(id) ?? null;
    const fields: Record<string, Unsaved> = {};
    for (const cue of this.pending()) fields[cue.id] = kept(present(cue), known(cue.id));
    for (const [id, { cue }] of this.#refused) fields[id] = kept(present(cue), known(id));
    // With what both began: the next visit sees the conflict, too.
    for (const [id, { base: began }] of this.#conflicts) fields[id] = kept(this.#mine(id), began);
    return fields;
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

  /** Conflicts and refusals of cues that have changed here since may be over. */
  #reconsider(): void {
    if (!this.isUndecided) return;
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
}

const byId = (cues: Cues): Map<string, Cue> => new Map(cues.map((cue) => [cue.id, cue]));
const withoutRemoved = (cues: Cues): Cues =>
  sorted(cues.filter(({ state }) => state !== "removed"));

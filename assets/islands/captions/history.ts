/** What can be taken back, over all languages that are open. */
import type { Patch } from "./merging";
import type { Sheet } from "./sheet";

/** Milliseconds within which changes of one field are one step. */
const SAME_STEP_MS = 1_000;
const MAX_STEPS = 500;

type Step = { changes: { sheet: Sheet; patch: Patch }[]; key: string; at: number };

export class History {
  #done: Step[] = [];
  #undone: Step[] = [];

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** @param key of a field: what is typed in it without a pause is one step; "" for a step of its own */
  push(
    changes: readonly { sheet: Sheet; patch: Patch }[],
    key = "",
    now = performance.now(),
  ): void {
    const real = changes.filter(({ patch }) => patch.size > 0);
    if (real.length === 0) return;
    this.#undone = [];
    const last = this.#done.at(-1);
    if (last && key !== "" && last.key === key && now - last.at < SAME_STEP_MS) {
      last.at = now;
      last.changes = joined(last.changes, real);
      return;
    }
    this.#done.push({ changes: [...real], key, at: now });
    if (this.#done.length > MAX_STEPS) this.#done.shift();
  }

  /** @returns the id of a cue that changed, to show it; null if there is nothing to take back */
  undo(): string | null {
    return this.#step(this.#done, this.#undone, true);
  }

  redo(): string | null {
    return this.#step(this.#undone, this.#done, false);
  }

  /** Steps of captions that were loaded again lead nowhere. */
  forget(sheet: Sheet): void {
    const without = (steps: Step[]): Step[] =>
      steps.filter(({ changes }) => changes.every((change) => change.sheet !== sheet));
    this.#done = without(this.#done);
    this.#undone = without(this.#undone);
  }

  #step(from: Step[], to: Step[], isBack: boolean): string | null {
    const step = from.pop();
    if (!step) return null;
    for (const { sheet, patch } of step.changes) sheet.apply(patch, isBack);
    to.push({ ...step, key: "" });
    return step.changes[0]?.patch.keys().next().value ?? null;
  }
}

function joined(first: Step["changes"], then: Step["changes"]): Step["changes"] {
  const all = [...first];
  for (const { sheet, patch } of then) {
    const at = all.findIndex((one) => one.sheet === sheet);
    const before = all[at];
    if (!before) {
      all.push({ sheet, patch });
      continue;
    }
    const merged = new Map(before.patch);
    for (const [id, step] of patch)
      merged.set(id, { before: merged.get(id)?.before ?? step.before, after: step.after });
    all[at] = { sheet, patch: merged };
  }
  return all;
}

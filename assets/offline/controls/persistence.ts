/** Browsers may delete what is stored when a device runs low on space, unless they grant persistence: asked for once. */
import type { Store } from "./store";

const ASKED_KEY = "study.offline.asked";

export function hasAsked(): boolean {
  return localStorage.getItem(ASKED_KEY) !== null;
}

/** Ask within a press of the learner, and never again. Resolves with whether it was granted. */
export async function askOnce(store: Pick<Store, "askForPersistence">): Promise<boolean> {
  if (hasAsked()) return false;
  localStorage.setItem(ASKED_KEY, "1");
  return store.askForPersistence().catch(() => false);
}

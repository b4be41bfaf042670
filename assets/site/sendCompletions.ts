/** Sends, from any page, completions, notes and progress that were stored on this device while offline (lesson/completions.ts). */
import type { openOutbox } from "../lesson/completions";

type Load = () => Promise<{ openOutbox: typeof openOutbox }>;

function hasStored(): boolean {
  try {
    return Object.keys(localStorage).some((key) =>
      /^study\.(completions|notes|progress)\./.test(key),
    );
  } catch {
    return false; // storage is blocked
  }
}

/** Load the code that sends them, if anything is stored. */
export function startSendingCompletions(load: Load = () => import("../lesson/completions")): void {
  // On a page with a lesson to complete, lesson.ts sends them.
  if (!hasStored() || document.querySelector("[data-reading-end], [data-fetch]")) return;
  load().then(
    ({ openOutbox }) => openOutbox().start(),
    () => undefined, // the next page tries again
  );
}

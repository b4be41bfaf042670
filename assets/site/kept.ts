/** Lessons that were completed without a connection wait on this device (lesson/outbox.ts): send them from any page. */
import type { openOutbox } from "../lesson/kept";

type Load = () => Promise<{ openOutbox: typeof openOutbox }>;

function hasKept(): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith("study.completions."));
  } catch {
    return false; // storage is refused
  }
}

export function startKept(load: Load = () => import("../lesson/kept")): void {
  // A page whose lesson is not complete yet sends them itself (lesson.ts).
  if (!hasKept() || document.querySelector("[data-reading-end], [data-fetch]")) return;
  load().then(
    ({ openOutbox }) => openOutbox().start(),
    () => undefined, // the next page tries again
  );
}

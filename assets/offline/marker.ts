/** Marks, where every page can see it without a database, that an account stores something in this browser. */
import { OFFLINE_MARKER, readMarker } from "../shared/offlineMarker";

export { readMarker };

export function writeMarker(user: string): void {
  try {
    localStorage.setItem(OFFLINE_MARKER, user);
  } catch {
    // Blocked: lessons are renewed on /offline only.
  }
}

export function removeMarker(): void {
  try {
    localStorage.removeItem(OFFLINE_MARKER);
  } catch {
    // Blocked: there is none.
  }
}

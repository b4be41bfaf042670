/** Marks, where every page can see it without a database, that an account stores something in this browser. */
export const OFFLINE_MARKER = "study.offline";

/** The account that stored something last; null if none does. */
export function readMarker(): string | null {
  try {
    return localStorage.getItem(OFFLINE_MARKER);
  } catch {
    return null; // storage is blocked
  }
}

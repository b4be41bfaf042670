/** What came of sending changes, kept for the page that takes this one's place. */
import type { SyncReport } from "./types";

const KEY = "study.offline.report";

export function joinReports(one: SyncReport, other: SyncReport): SyncReport {
  return {
    taken: one.taken + other.taken,
    refused: [...one.refused, ...other.refused],
    waiting: other.waiting,
  };
}

export function keepReport(report: SyncReport): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(report));
  } catch {
    // Blocked: the report is not shown; what it says is done either way.
  }
}

/** The report that the page before has kept; null if it has none. */
export function takeReport(): SyncReport | null {
  try {
    const kept = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return kept ? (JSON.parse(kept) as SyncReport) : null;
  } catch {
    return null;
  }
}

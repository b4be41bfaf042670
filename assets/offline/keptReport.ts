/** What came of sending changes, kept for the page that takes this one's place. */
import type { SyncReport } from "./types";

const REPORT_KEY = "study.offline.report";

/** The report of sending nothing. */
export const nothing: SyncReport = { taken: 0, refused: [], results: [], waiting: 0 };

export function joinReports(one: SyncReport, other: SyncReport): SyncReport {
  return {
    taken: one.taken + other.taken,
    refused: [...one.refused, ...other.refused],
    results: [...one.results, ...other.results],
    waiting: other.waiting,
  };
}

export function keepReport(report: SyncReport): void {
  try {
    sessionStorage.setItem(REPORT_KEY, JSON.stringify(report));
  } catch {
    // Blocked: the report is not shown; what it says is done either way.
  }
}

/** The report that the page before has kept; null if it has none. */
export function takeReport(): SyncReport | null {
  try {
    const kept = sessionStorage.getItem(REPORT_KEY);
    sessionStorage.removeItem(REPORT_KEY);
    // A page of the build before kept no results.
    return kept ? { ...nothing, ...(JSON.parse(kept) as Partial<SyncReport>) } : null;
  } catch {
    return null;
  }
}

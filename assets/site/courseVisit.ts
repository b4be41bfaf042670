/**
 * Tell the server that somebody reads a course page: [data-visit="slug"]. Once a day (UTC) and course for each browser,
 * after the page was visible for two seconds. It says nothing of the reader. Browsers that ask not to be tracked don't
 * send it.
 */
const READ_AFTER_MS = 2000;
/** The courses that this browser visited today: {"day": "2026-11-28", "courses": ["rivers"]}. */
const KEY = "study.visits";

interface Visits {
  day: string;
  courses: string[];
}

function readVisits(day: string): Visits {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "") as Partial<Visits>;
    if (stored.day === day && Array.isArray(stored.courses))
      return { day, courses: stored.courses };
  } catch {
    // Nothing stored yet, or not ours.
  }
  return { day, courses: [] };
}

function asksNotToBeTracked(): boolean {
  const browser = navigator as Navigator & {
    globalPrivacyControl?: boolean;
    doNotTrack?: string | null;
  };
  return browser.globalPrivacyControl === true || browser.doNotTrack === "1";
}

/** Send the visit unless this browser sent it today. Returns whether it did. */
export function sendVisit(course: string, now = new Date()): boolean {
  const visits = readVisits(now.toISOString().slice(0, 10));
  if (visits.courses.includes(course)) return false;
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify({ day: visits.day, courses: [...visits.courses, course] }),
    );
  } catch {
    return false; // it would count again with every page
  }
  return navigator.sendBeacon(`/courses/${course}/visit`);
}

/** Send the visit once the page was visible for two seconds in one piece. */
export function startCourseVisit(course: string): void {
  if (asksNotToBeTracked() || !("sendBeacon" in navigator)) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = (): void => {
    clearTimeout(timer);
    if (document.visibilityState !== "visible") return;
    timer = setTimeout(() => {
      document.removeEventListener("visibilitychange", follow);
      sendVisit(course);
    }, READ_AFTER_MS);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

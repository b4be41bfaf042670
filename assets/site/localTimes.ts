/** Times in the time zone of the user. Without scripts, the text of the server is shown. */
import { dateAndTime, longDate, relativeTime } from "../shared/format";

const MINUTE = 60_000;

/** Write all times of the page: `time[data-relative]` as "5m ago", `time[data-local]` as a date. */
export function writeLocalTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-relative]")) {
    time.textContent = relativeTime(time.dateTime);
    time.title = dateAndTime(time.dateTime);
  }
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
    const write = time.dataset.local === "time" ? dateAndTime : longDate;
    time.textContent = write(time.dateTime);
  }
}

/** Write the times now and every minute. */
export function startLocalTimes(): void {
  writeLocalTimes();
  setInterval(() => {
    if (document.visibilityState === "visible") writeLocalTimes();
  }, MINUTE);
}

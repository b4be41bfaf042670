/** Times in the reader's own words and zone. Without scripts the server's text stands. */
import { dateAndTime, longDate, relativeTime } from "../shared/format";

const MINUTE = 60_000;

export function writeTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-relative]")) {
    time.textContent = relativeTime(time.dateTime);
    time.title = dateAndTime(time.dateTime);
  }
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
    const write = time.dataset.local === "time" ? dateAndTime : longDate;
    time.textContent = write(time.dateTime);
  }
}

export function startTimes(): void {
  writeTimes();
  setInterval(() => {
    if (document.visibilityState === "visible") writeTimes();
  }, MINUTE);
}

/** Numbers, times and dates as the product writes them. */
import { currentLanguage, t, tn } from "../i18n";

const two = (value: number): string => String(value).padStart(2, "0");

function parts(seconds: number): { hours: number; minutes: number; rest: number } {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0;
  return {
    hours: Math.floor(whole / 3600),
    minutes: Math.floor((whole % 3600) / 60),
    rest: whole % 60,
  };
}

/** A position in a recording: 6:42, 1:02:03. */
export function clock(seconds: number): string {
  const { hours, minutes, rest } = parts(seconds);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** A duration with no-break spaces, at least a minute: 12 min, 6 h 10 min. The same as `duration` in templates. */
export function duration(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(1, Math.round(seconds / 60)) : 1;
  const [hours, minutes] = [Math.floor(whole / 60), whole % 60];
  let words = t("{hours} h {minutes} min", { hours, minutes });
  if (hours === 0) words = t("{minutes} min", { minutes });
  else if (minutes === 0) words = t("{hours} h", { hours });
  return words.replaceAll(" ", "\u00a0");
}

/** A time for screen readers: 6 minutes 42 seconds. */
export function spokenTime(seconds: number): string {
  const { hours, minutes, rest } = parts(seconds);
  const words = [];
  if (hours > 0) words.push(tn("{count} hour", "{count} hours", hours));
  if (minutes > 0) words.push(tn("{count} minute", "{count} minutes", minutes));
  if (rest > 0 || words.length === 0) words.push(tn("{count} second", "{count} seconds", rest));
  return words.join(" ");
}

/** How long to wait, in the unit in which people think of it, rounded up: 90 seconds, 2 minutes, 24 hours, 3 days. */
export function waitingTime(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : 1;
  if (whole <= 1.5 * MINUTE) return tn("{count} second", "{count} seconds", whole);
  if (whole <= 1.5 * HOUR)
    return tn("{count} minute", "{count} minutes", Math.ceil(whole / MINUTE));
  if (whole <= 1.5 * DAY) return tn("{count} hour", "{count} hours", Math.ceil(whole / HOUR));
  return tn("{count} day", "{count} days", Math.ceil(whole / DAY));
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;

/** How long ago: just now, 5m ago, 3h ago, 2d ago, 1w ago, 2mo ago, 1y ago. */
export function relativeTime(then: Date | string | number, now: number = Date.now()): string {
  const seconds = (now - new Date(then).getTime()) / 1000;
  if (!(seconds >= MINUTE)) return t("just now");
  const steps: [number, string][] = [
    [YEAR, t("{count}y ago")],
    [MONTH, t("{count}mo ago")],
    [WEEK, t("{count}w ago")],
    [DAY, t("{count}d ago")],
    [HOUR, t("{count}h ago")],
  ];
  const [length, words] = steps.find(([length]) => seconds >= length) ?? [
    MINUTE,
    t("{count}m ago"),
  ];
  return words.replace("{count}", String(Math.floor(seconds / length)));
}

/** A size: 512 bytes, 1.4 MB, 5 GB. Units are powers of 1024, as in the storage limits. */
export function bytes(count: number): string {
  if (count < 1024) {
    const whole = Math.max(0, Math.round(count));
    return tn("{number} byte", "{number} bytes", whole, { number: number(whole) });
  }
  const units = ["KB", "MB", "GB", "TB", "PB"];
  let value = count;
  let unit = -1;
  // 1023.96 would round to 1,024.0: use the next unit.
  while (Math.round(value * 10) / 10 >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${number(Math.round(value * 10) / 10)} ${units[unit] ?? ""}`;
}

// English dates are written day first: 14 March 2026.
const locale = (): string => (currentLanguage().startsWith("en") ? "en-GB" : currentLanguage());

export function number(value: number): string {
  return new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: 1 }).format(value);
}

/** How dates are written in the time zone of the reader's profile, as pages write them; a visitor's is the browser's. */
export function formatOf(format: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const zone = document.querySelector<HTMLElement>('meta[name="study-user"]')?.dataset.zone;
  try {
    return new Intl.DateTimeFormat(locale(), zone ? { ...format, timeZone: zone } : format);
  } catch {
    return new Intl.DateTimeFormat(locale(), format); // a zone that this browser doesn't know
  }
}

/** 14 March 2026, in the reader's time zone. */
export function longDate(date: Date | string | number): string {
  return formatOf({ dateStyle: "long" }).format(new Date(date));
}

/** 14 March 2026 at 18:31, in the reader's time zone. */
export function dateAndTime(date: Date | string | number): string {
  return formatOf({ dateStyle: "long", timeStyle: "short" }).format(new Date(date));
}

/** 18:31, or 18:31:05 with `seconds`, in the reader's time zone. */
export function timeOfDay(date: Date | string | number, seconds = false): string {
  const timeStyle = seconds ? "medium" : "short";
  return formatOf({ timeStyle, hourCycle: "h23" }).format(new Date(date));
}

/** The day in the reader's time zone, as a number that grows by one each day. */
export function dayNumber(date: Date | string | number): number {
  const fields = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const found = Object.fromEntries(
    formatOf({ ...fields, calendar: "gregory", numberingSystem: "latn" })
      .formatToParts(new Date(date))
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(found.year ?? 0, (found.month ?? 1) - 1, found.day ?? 1) / 86_400_000;
}

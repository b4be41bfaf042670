/** Times of cues as authors read and type them: 6:38.20 and 1:02:03.5. */

/** With hundredths, or thousandths where they are needed. */
export function formatTime(seconds: number): string {
  const thousandths = Math.round(Math.max(0, seconds) * 1000);
  const [hours, minutes] = [
    Math.floor(thousandths / 3_600_000),
    Math.floor(thousandths / 60_000) % 60,
  ];
  const whole = String(Math.floor(thousandths / 1000) % 60).padStart(2, "0");
  const rest = String(thousandths % 1000).padStart(3, "0");
  const fraction = rest.endsWith("0") ? rest.slice(0, 2) : rest;
  const front = hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : String(minutes);
  return `${front}:${whole}.${fraction}`;
}

const DIGITS = /^\s*(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,6})(?:[.,](\d{1,3}))?\s*$/;

/** Seconds of what was typed; null if it is no time. "98.5", "1:38,5" and "0:01:38.50" are the same. */
export function parseTime(text: string): number | null {
  const found = DIGITS.exec(text);
  if (!found) return null;
  const [, hours = "0", minutes, seconds = "0", fraction = ""] = found;
  if (minutes !== undefined && Number(seconds) > 59) return null;
  if (found[1] !== undefined && Number(minutes) > 59) return null;
  const whole = Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
  return whole + Number(fraction.padEnd(3, "0")) / 1000;
}

/** Seconds to move by: "-44", "−44.0" (a minus sign), "+1,5". */
export function parseShift(text: string): number | null {
  const found = /^\s*([+−–-]?)\s*(\S.*)$/.exec(text);
  const seconds = found ? parseTime(found[2] ?? "") : null;
  if (seconds === null) return null;
  return found?.[1] === "" || found?.[1] === "+" ? seconds : -seconds;
}

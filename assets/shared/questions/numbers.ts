/**
 * How the server will read a typed number (studyplatform/kit/text/numbers.py), to show it while somebody types.
 * The server decides; the cases of tests/data/numbers.json check both.
 */
import type { components } from "../api/schema.gen";

export type NumberFormat = components["schemas"]["NumberFormatOut"];
/** What is shown for a number; `other` is what it could also mean, "" if it has one reading only. */
export type ReadNumber = { shown: string; other: string };

const MAX_LENGTH = 100;
const MAX_DIGITS = 60;
const MAX_EXPONENT = 300;
const MIN_LETTERS_OF_WORD = 4;

const SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079";
// Each of these characters has no width, and is listed by itself.
// eslint-disable-next-line no-misleading-character-class
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe0e\ufe0f\ufeff]/g;
const VULGAR = /[\u00bc-\u00be\u2150-\u215e\u2189]/g;
const SMALL_FRACTION = new RegExp(
  `([${SUPERSCRIPTS}]+)\\s*[\u2044\u2215/]\\s*([\u2080-\u2089]+)`,
  "g",
);
const POWER = new RegExp(`[\u207a\u207b]?[${SUPERSCRIPTS}]+`, "g");
const SIGNS: readonly [RegExp, string][] = [
  [/[\u02d7\u2010-\u2015\u2212\u2796\u30fc]/g, "-"],
  [/[\u2018\u2019\u02bc\u2032`]/g, "'"],
  [/[\u2044\u2215]/g, "/"],
  [/[\u2715\u00b7\u22c5\u2219\u2022*xX\u0445\u0425]/g, "\u00d7"],
  [/\u066a/g, "%"],
  [/\u060c/g, ","],
];
const PERCENT = /^([+-]?)\s*(?:([%\u2030])\s*(.+)|(.+?)\s*([%\u2030]))$/;
const FRACTION = /^([+-]?)\s*(?:(\d+)\s+)?(\d+)\s*\/\s*(\d+)$/;
const WITH_E = /^(.+?)\s*[eE]\s*([+-]?\d{1,4})$/;
const TIMES_POWER =
  /^([+-]?)\s*(?:(.+?)\s*\u00d7\s*)?10\s*(?:\^|\u00d7\u00d7)\s*(?:([+-]?\s*\d{1,4})|\(([+-]?\s*\d{1,4})\)|\{([+-]?\s*\d{1,4})\})$/;
const SIGNED = /^([+-]?)\s*([\d.,\u066b\u066c'_ ]*\d[\d.,\u066b\u066c'_ ]*)$/;
const THOUSANDS = /^(?:\d+|\d{1,3}(?:([.,\u066c'_ ])\d{3})(?:\1\d{3})*)$/;
const INDIAN = /^\d{1,2}(?:([, ])\d{2})(?:\1\d{2})*\1\d{3}$/;
const DECIMALS = /^(?:\d*|(?:\d{3}[ '_])+\d{1,3})$/;

/** The reading of a text; null if it is not one number. */
export function readNumber(text: string, format: NumberFormat, unit = ""): ReadNumber | null {
  const [typed, ofUnit] = [plainOf(text), plainOf(unit)];
  if (Array.from(text).length > MAX_LENGTH || typed === null) return null;
  let plain = withoutUnit(typed, ofUnit ?? "");
  let exponent = 0;
  const percent = PERCENT.exec(plain);
  if (percent) {
    exponent = plain.includes("%") ? -2 : -3;
    plain = `${percent[1] ?? ""}${percent[3] ?? percent[4] ?? ""}`;
  }
  const fraction = FRACTION.exec(plain);
  if (fraction) return readFraction(fraction, exponent);
  const withE = WITH_E.exec(plain);
  const power = TIMES_POWER.exec(plain);
  let sign = "";
  if (withE) {
    plain = withE[1] ?? "";
    exponent += Number(withE[2]);
  } else if (power) {
    sign = power[1] ?? "";
    plain = power[2] ?? "1";
    exponent += Number((power[3] ?? power[4] ?? power[5] ?? "").replaceAll(" ", ""));
  }
  return readDecimal(sign + plain, exponent, format, Boolean(withE ?? power));
}

/** ASCII digits and signs, one space at a time, powers as "^3"; null with subscripts. */
function plainOf(text: string): string | null {
  let plain = text
    .replace(INVISIBLE, "")
    .replace(VULGAR, (char) => ` ${char.normalize("NFKC")}`)
    .replace(SMALL_FRACTION, (part) => ` ${part.normalize("NFKC")}`)
    .replace(POWER, (part) => `^${part.normalize("NFKC")}`);
  if (/[\u2080-\u208e]/.test(plain)) return null;
  plain = plain
    .replaceAll("\u00b4", "'")
    .replace(/[\u00ba\u02da]/g, "\u00b0")
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, asciiDigit);
  for (const [signs, sign] of SIGNS) plain = plain.replace(signs, sign);
  return plain.trim().replace(/\s+/g, " ");
}

/** Digits of any script stand in blocks of ten. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

function withoutUnit(plain: string, unit: string): string {
  if (!unit || /^\d/.test(unit)) return plain;
  const letters = /^\p{L}+$/u.test(unit) ? Array.from(unit).length : 0;
  for (const one of [unit, unit.replaceAll("^", "")]) {
    const signBySign = Array.from(one.replaceAll(" ", ""), withEscapes).join("\\s*");
    const match = new RegExp(
      `^([+-]?)\\s*(?:${signBySign}\\s*(.+)|(.+?)\\s*${signBySign}\\.?)$`,
      letters >= MIN_LETTERS_OF_WORD ? "i" : "",
    ).exec(plain);
    if (match) return `${match[1] ?? ""}${match[2] ?? match[3] ?? ""}`;
  }
  return plain;
}

function withEscapes(sign: string): string {
  return sign.replace(/[$()*+.?[\\\]^{|}/-]/, "\\$&");
}

function readFraction(match: RegExpExecArray, scale: number): ReadNumber | null {
  const [, sign = "", whole = "", above = "", below = ""] = match;
  if (/^0+$/.test(below) || (whole + above + below).length > MAX_DIGITS) return null;
  const mark = scale === -2 ? "%" : scale === -3 ? "\u2030" : "";
  const parts = `${whole ? `${withoutZeros(whole)} ` : ""}${withoutZeros(above)}/${withoutZeros(below)}`;
  return { shown: `${sign === "-" ? "\u2212" : ""}${parts}${mark}`, other: "" };
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, "");
}

function readDecimal(
  text: string,
  exponent: number,
  format: NumberFormat,
  hasPower: boolean,
): ReadNumber | null {
  const match = SIGNED.exec(text);
  if (!match) return null;
  const [, sign = "", body = ""] = match;
  const { separator, isAmbiguous } = separatorOf(body, format, hasPower);
  const at = separator ? body.indexOf(separator) : -1;
  const [whole, decimals] = at < 0 ? [body, ""] : [body.slice(0, at), body.slice(at + 1)];
  const digits = digitsOf(whole, decimals, separator);
  if (!digits) return null;
  const plainly = { ...format, group: "" };
  const shown = show(sign === "-", digits, exponent, isAmbiguous ? plainly : format);
  if (shown === null) return null;
  if (!isAmbiguous) return { shown, other: "" };
  const [first = "", second = ""] = body.split(/[.,]/);
  const other = show(
    sign === "-",
    separator ? [first + second, ""] : [first, second],
    exponent,
    plainly,
  );
  return other === null ? null : { shown, other };
}

function separatorOf(
  body: string,
  format: NumberFormat,
  hasPower: boolean,
): { separator: string; isAmbiguous: boolean } {
  const clear = (separator: string) => ({ separator, isAmbiguous: false });
  if (body.includes("\u066b")) return clear("\u066b");
  const points = body.split(".").length - 1;
  const commas = body.split(",").length - 1;
  if (points && commas) return clear(body.lastIndexOf(".") > body.lastIndexOf(",") ? "." : ",");
  if (points + commas !== 1) return clear("");
  const sign = points ? "." : ",";
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(body)) return clear(sign);
  if (hasPower && (sign === "." || body.indexOf(sign) === 1))
    return { separator: sign, isAmbiguous: true };
  const isGroup = format.decimal !== sign && (format.group === sign || sign === ",");
  return { separator: isGroup ? "" : sign, isAmbiguous: true };
}

function digitsOf(
  whole: string,
  decimals: string,
  separator: string,
): [before: string, after: string] | null {
  const grouped = THOUSANDS.exec(whole) ?? INDIAN.exec(whole);
  const groupSign = grouped?.[1] ?? "";
  if (whole && !grouped) return null;
  if ((groupSign && groupSign === separator) || !DECIMALS.test(decimals)) return null;
  if (!whole && !decimals) return null;
  const [before, after] = [whole.replace(/\D/g, ""), decimals.replace(/\D/g, "")];
  return before.length + after.length > MAX_DIGITS ? null : [before, after];
}

function show(
  isNegative: boolean,
  [before, after]: [string, string],
  power: number,
  format: NumberFormat,
): string | null {
  const all = (before + after).replace(/^0+/, "");
  const kept = all.replace(/0+$/, "");
  const digits = kept || "0";
  const exponent = kept ? power - after.length + all.length - kept.length : 0;
  const minus = isNegative && kept ? "\u2212" : "";
  const first = exponent + digits.length - 1;
  if (Math.abs(first) > MAX_EXPONENT) return null;
  if (first < -7 || first >= 21) {
    const rest = digits.length > 1 ? `${format.decimal}${digits.slice(1)}` : "";
    return `${minus}${digits.slice(0, 1)}${rest} \u00d7 10^${String(first).replace("-", "\u2212")}`;
  }
  const padded = exponent < 0 ? digits.padStart(1 - exponent, "0") : digits + "0".repeat(exponent);
  const at = padded.length + Math.min(exponent, 0);
  const decimals = padded.slice(at);
  return `${minus}${groupDigits(padded.slice(0, at), format)}${decimals ? format.decimal + decimals : ""}`;
}

function groupDigits(digits: string, { group, second_group: second }: NumberFormat): string {
  const parts = [digits.slice(-3)];
  for (let rest = digits.slice(0, -3); rest; rest = rest.slice(0, -second))
    parts.unshift(rest.slice(-second));
  return parts.join(group);
}

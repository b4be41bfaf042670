/**
 * The error catalogue, generated from Python. It has the texts of the errors that scripts name, so that they can be shown
 * while offline; all others come from the server, with their texts.
 */
import { waitingTime } from "../format";
import { t } from "../i18n";
import type { IconName } from "../iconNames";
import { catalogue, type ErrorCode, type NamedCode } from "./errors.gen";

export type { ErrorCode, NamedCode };
export type Severity = "error" | "warning" | "info";

/** The action of an error: a page to open, or a handler of the component. */
export type ErrorAction = { label: string; href: string; handler: string };

export type CatalogueEntry = {
  code: ErrorCode;
  title: string;
  message: string;
  severity: Severity;
  icon: IconName;
  action: ErrorAction | null;
  helpText: string;
  autoRetry: boolean;
  /** Seconds. */
  retryDelay: number | null;
  /** The names of data in seconds that the message says in words. */
  durations: readonly string[];
};

type GeneratedEntry = Partial<
  Pick<
    CatalogueEntry,
    "title" | "message" | "severity" | "icon" | "helpText" | "retryDelay" | "durations"
  >
> & {
  action?: { label: string; href?: string; handler?: string };
};

/** An entry with the defaults that the generated catalogue leaves out; the texts of UNKNOWN_ERROR where it has none. */
function withDefaults(code: ErrorCode): CatalogueEntry {
  const entry: GeneratedEntry = catalogue[code];
  return {
    severity: "error",
    icon: "circle-alert",
    retryDelay: null,
    durations: [],
    ...entry,
    code,
    title: t(entry.title ?? catalogue.UNKNOWN_ERROR.title),
    message: t(entry.message ?? catalogue.UNKNOWN_ERROR.message),
    helpText: entry.helpText ? t(entry.helpText) : "",
    action: entry.action
      ? { href: "", handler: "", ...entry.action, label: t(entry.action.label) }
      : null,
    autoRetry: entry.retryDelay !== undefined,
  };
}

export const errorCodes = Object.keys(catalogue) as ErrorCode[];

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(catalogue, code);
}

/** The entry of a code; of an unknown code, the entry of UNKNOWN_ERROR. */
export function lookup(code: string | undefined): CatalogueEntry {
  return withDefaults(isErrorCode(code) ? code : "UNKNOWN_ERROR");
}

type Params = Record<string, unknown>;

function textOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** A message of the catalogue with `%(name)s` filled; sentences whose data is missing are left out. */
export function fillMessage(message: string, params: Params): string {
  const place = /%\((\w+)\)s/g;
  const hasData = (sentence: string): boolean =>
    [...sentence.matchAll(place)].every(([, name]) => textOf(params[name ?? ""]) !== null);
  return message
    .split(/(?<=[.!?])\s+/)
    .filter(hasData)
    .join(" ")
    .replace(place, (_, name: string) => textOf(params[name]) ?? "");
}

/** The address of an action with `{name}` filled; null if data is missing. */
export function fillHref(href: string, params: Params): string | null {
  const whole = /^\{(\w+)\}$/.exec(href);
  if (whole) {
    // The whole address, such as that of a status page: allow only addresses of pages.
    const address = textOf(params[whole[1] ?? ""]) ?? "";
    return /^(https?:\/\/|\/(?!\/))/.test(address) ? address : null;
  }
  const place = /\{(\w+)\}/g;
  if ([...href.matchAll(place)].some(([, name]) => textOf(params[name ?? ""]) === null))
    return null;
  return href.replace(place, (_, name: string) => encodeURIComponent(textOf(params[name]) ?? ""));
}

/** The problem details (RFC 9457) of a response. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  params: Record<string, unknown>;
  fields: Record<string, { code: string; message: string }[]>;
  request_id: string;
};

/** A failed call, with what to show to the user. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    /** The status of the response; 0 if there was none. */
    readonly status: number,
    readonly problem: Problem,
    /** Seconds the server asks to wait, if it does. */
    readonly retryAfter?: number,
  ) {
    super(problem.detail);
  }

  is(code: ErrorCode): boolean {
    return this.problem.code === code;
  }
}

/** A problem created in the browser, with the texts of the catalogue. */
export function problemOf(code: ErrorCode, status = 0, params: Params = {}): Problem {
  const { title, message, durations } = lookup(code);
  const shown = { ...params };
  for (const name of durations) {
    const seconds = params[name];
    if (typeof seconds === "number") shown[name] = waitingTime(seconds);
  }
  const detail = fillMessage(message, shown) || title;
  return { type: "about:blank", title, status, detail, code, params, fields: {}, request_id: "" };
}

/** An error created in the browser, such as NETWORK_OFFLINE or VIDEO_LOAD_FAILED. */
export function makeError(code: NamedCode, params: Params = {}): ApiError {
  return new ApiError(0, problemOf(code, 0, params));
}

/** Anything that was thrown, as an ApiError. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return makeError("UNKNOWN_ERROR");
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return "NOT_AUTHENTICATED";
  if (status === 403) return "PERMISSION_DENIED";
  if (status === 404) return "NOT_FOUND";
  if (status === 409) return "CONFLICT";
  if (status === 429) return "RATE_LIMIT_EXCEEDED";
  return status >= 500 ? "SERVER_ERROR" : "UNKNOWN_ERROR";
}

/** Seconds to wait according to a Retry-After header, which is a number of seconds or a date (RFC 9110). */
export function retryAfterOf(header: string | null, now: number = Date.now()): number | undefined {
  if (!header) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

/** The error of a failed response, whose body may be a problem or the HTML page of a proxy. */
export function errorOfResponse(response: Response, body: unknown): ApiError {
  const { status, headers } = response;
  const problemBody = typeof body === "object" && body !== null ? (body as Partial<Problem>) : {};
  const code = isErrorCode(problemBody.code) ? problemBody.code : codeOfStatus(status);
  const retryAfter = retryAfterOf(headers.get("Retry-After"));
  const problem = problemOf(code, status, problemBody.params ?? { wait: retryAfter ?? 60 });
  for (const key of ["type", "title", "detail", "request_id"] as const) {
    if (typeof problemBody[key] === "string" && problemBody[key] !== "")
      problem[key] = problemBody[key];
  }
  if (problemBody.fields) problem.fields = problemBody.fields;
  problem.request_id ||= headers.get("X-Request-ID") ?? "";
  return new ApiError(status, problem, retryAfter);
}

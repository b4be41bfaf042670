/** The error catalogue: one source in Python, shown here with the network off. */
import { t } from "../i18n";
import type { IconName } from "../iconNames";
import { catalogue, type ErrorCode } from "./errors.gen";

export type { ErrorCode };
export type Severity = "error" | "warning" | "info";

/** What a person can do: a page to go to, or something that the part itself does. */
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
};

type ToldEntry = Pick<CatalogueEntry, "title" | "message"> &
  Partial<Pick<CatalogueEntry, "severity" | "icon" | "helpText" | "retryDelay">> & {
    action?: { label: string; href?: string; handler?: string };
  };

/** What the catalogue leaves out is as usual. */
function filled(code: ErrorCode): CatalogueEntry {
  const told: ToldEntry = catalogue[code];
  return {
    severity: "error",
    icon: "circle-alert",
    retryDelay: null,
    ...told,
    code,
    title: t(told.title),
    message: t(told.message),
    helpText: told.helpText ? t(told.helpText) : "",
    action: told.action
      ? { href: "", handler: "", ...told.action, label: t(told.action.label) }
      : null,
    autoRetry: told.retryDelay !== undefined,
  };
}

export const errorCodes = Object.keys(catalogue) as ErrorCode[];

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(catalogue, code);
}

/** The entry of a code; of one that nobody knows, the entry of UNKNOWN_ERROR. */
export function lookup(code: string | undefined): CatalogueEntry {
  return filled(isErrorCode(code) ? code : "UNKNOWN_ERROR");
}

type Params = Record<string, unknown>;

function textOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** The catalogue's sentences with `%(name)s` filled; a sentence that lacks its data is left out. */
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

/** An action's address with `{name}` filled; null if its data is missing. */
export function fillHref(href: string, params: Params): string | null {
  const whole = /^\{(\w+)\}$/.exec(href);
  if (whole) {
    // The address itself, e.g. of a status page elsewhere: nothing but a page is led to.
    const address = textOf(params[whole[1] ?? ""]) ?? "";
    return /^(https?:\/\/|\/(?!\/))/.test(address) ? address : null;
  }
  const place = /\{(\w+)\}/g;
  if ([...href.matchAll(place)].some(([, name]) => textOf(params[name ?? ""]) === null))
    return null;
  return href.replace(place, (_, name: string) => encodeURIComponent(textOf(params[name]) ?? ""));
}

/** RFC 9457 problem details, as the server answers them. */
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

/** A refusal or failure of a call, with what to tell the person. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    /** The status of the answer; 0 if there was none. */
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

/** A problem made in the browser, in the words of the catalogue. */
export function problemOf(code: ErrorCode, status = 0, params: Params = {}): Problem {
  const { title, message } = lookup(code);
  const detail = fillMessage(message, params) || title;
  return { type: "about:blank", title, status, detail, code, params, fields: {}, request_id: "" };
}

/** A failure that arose in the browser, such as NETWORK_OFFLINE or VIDEO_LOAD_FAILED. */
export function makeError(code: ErrorCode, params: Params = {}): ApiError {
  return new ApiError(0, problemOf(code, 0, params));
}

/** Whatever was thrown, as an ApiError. */
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

/** Seconds from a Retry-After header: a number of them, or a date. */
export function retryAfterOf(header: string | null, now: number = Date.now()): number | undefined {
  if (!header) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

/** The error of an answer that is not ok, whether its body is a problem or a proxy's HTML page. */
export function errorOfAnswer(response: Response, body: unknown): ApiError {
  const { status, headers } = response;
  const said = typeof body === "object" && body !== null ? (body as Partial<Problem>) : {};
  const code = isErrorCode(said.code) ? said.code : codeOfStatus(status);
  const retryAfter = retryAfterOf(headers.get("Retry-After"));
  const problem = problemOf(code, status, said.params ?? { wait: retryAfter ?? 60 });
  for (const key of ["type", "title", "detail", "request_id"] as const) {
    if (typeof said[key] === "string" && said[key] !== "") problem[key] = said[key];
  }
  if (said.fields) problem.fields = said.fields;
  problem.request_id ||= headers.get("X-Request-ID") ?? "";
  return new ApiError(status, problem, retryAfter);
}

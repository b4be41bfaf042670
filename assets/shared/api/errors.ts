/** The error catalogue: one source in Python, shown here with the network off. */
import { catalogue } from "./errors.gen";

export type ErrorCode = keyof typeof catalogue;
export type Severity = "error" | "warning" | "info";

/** What a person can do: a page to go to, or something the part itself does. */
export type ErrorAction =
  | { label: string; href: string; handler?: never }
  | { label: string; handler: "retry" | "reload"; href?: never };

export type CatalogueEntry = {
  code: ErrorCode;
  title: string;
  message: string;
  severity: Severity;
  action?: ErrorAction;
  helpText?: string;
  icon: string;
  autoRetry?: boolean;
  /** Seconds. */
  retryDelay?: number;
};

const entries: Record<ErrorCode, CatalogueEntry> = catalogue;

export const errorCodes = Object.keys(entries) as ErrorCode[];

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(entries, code);
}

/** The entry of a code; of one that nobody knows, the entry of UNKNOWN_ERROR. */
export function lookup(code: string | undefined): CatalogueEntry {
  return isErrorCode(code) ? entries[code] : entries.UNKNOWN_ERROR;
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
export function problemOf(code: ErrorCode, status = 0, more: Partial<Problem> = {}): Problem {
  const { title, message } = lookup(code);
  const base = { type: "about:blank", title, status, detail: message, code };
  return { ...base, params: {}, fields: {}, request_id: "", ...more };
}

/** Whatever was thrown, as an ApiError. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, problemOf("UNKNOWN_ERROR"));
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return "AUTH_SESSION_EXPIRED";
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
  const { status } = response;
  const said = typeof body === "object" && body !== null ? (body as Partial<Problem>) : {};
  const code = isErrorCode(said.code) ? said.code : codeOfStatus(status);
  const problem = problemOf(code, status);
  for (const key of ["type", "title", "detail", "request_id"] as const) {
    if (typeof said[key] === "string" && said[key] !== "") problem[key] = said[key];
  }
  if (said.params) problem.params = said.params;
  if (said.fields) problem.fields = said.fields;
  problem.request_id ||= response.headers.get("X-Request-ID") ?? "";
  return new ApiError(status, problem, retryAfterOf(response.headers.get("Retry-After")));
}

/** The typed API client. Types come from the schema; failures are thrown as ApiError. */
import createClient, { type Middleware } from "openapi-fetch";

import { session } from "../auth/browser";
import { NotAuthenticated, type Session } from "../auth/session";
import { noteResponse, noteFailure } from "../connection";
import { toast } from "../toasts";
import type { answer as answerOf } from "../../mock";
import { csrfHeaders } from "./csrf";
import { errorOfResponse, lookup, makeError } from "./errors";
import type { paths } from "./schema.gen";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** MOCK_API: the module that responds instead of the server (assets/mock.ts). */
const mock = document.querySelector<HTMLMetaElement>('meta[name="study-mock"]')?.content;

async function mocked(address: string, request: Request): Promise<Response> {
  const { answer } = (await import(address)) as { answer: typeof answerOf };
  return answer(request);
}

/** Answers a call on this device; null if the server must. */
export type LocalAnswer = (request: Request) => Promise<Response | null>;
let answerHere: LocalAnswer | undefined;

/** Have calls answered on this device: the page is shown without a connection (assets/offline/shell). */
export function setLocalAnswer(answer: LocalAnswer): void {
  answerHere = answer;
}

/** A call without a response fails after this time. */
export const TIMEOUT_MS = 30_000;
/** After this time the page says that the response is slow. */
export const SLOW_MS = 5_000;

function isNamed(thrown: unknown, name: string): boolean {
  return typeof thrown === "object" && thrown !== null && "name" in thrown && thrown.name === name;
}

function timeoutError() {
  return makeError("NETWORK_TIMEOUT", { seconds: TIMEOUT_MS / 1000 });
}

/** A signal that also aborts after TIMEOUT_MS. AbortSignal.any is newer than the browsers we support. */
function withTimeout(callers: AbortSignal): AbortSignal {
  const limit = new AbortController();
  const abort = (): void => limit.abort(callers.reason);
  if (callers.aborted) abort();
  callers.addEventListener("abort", abort, { once: true });
  // The limit includes the body; later there is nothing to abort.
  setTimeout(() => limit.abort(new DOMException("No answer", "TimeoutError")), TIMEOUT_MS);
  return limit.signal;
}

/** `fetch` with a time limit. Without a response it throws an ApiError of the catalogue. */
export async function reach(request: Request): Promise<Response> {
  if (mock) return mocked(mock, request);
  const local = await answerHere?.(request);
  if (local) return local;
  try {
    // `fetch` is looked up at each call, as tests replace it.
    // A request of a page that is closing needs no limit.
    const signal = request.keepalive ? request.signal : withTimeout(request.signal);
    const response = await globalThis.fetch(request, { signal });
    noteResponse();
    return response;
  } catch (thrown) {
    if (isNamed(thrown, "AbortError")) throw thrown;
    noteFailure();
    if (isNamed(thrown, "TimeoutError")) throw timeoutError();
    throw makeError(navigator.onLine ? "NETWORK_FAILED" : "NETWORK_OFFLINE");
  }
}

let waiting = 0;
let slow: ReturnType<typeof setTimeout> | undefined;
let hideSlow = (): void => undefined;

/** `reach` that shows one message while any of its calls is slow. */
async function reachWithNotice(request: Request): Promise<Response> {
  waiting += 1;
  slow ??= setTimeout(() => {
    hideSlow = toast(lookup("NETWORK_SLOW").message, { icon: "info", stays: true });
  }, SLOW_MS);
  try {
    return await reach(request);
  } finally {
    waiting -= 1;
    if (waiting === 0) {
      clearTimeout(slow);
      slow = undefined;
      hideSlow();
    }
  }
}

async function tokenFor(auth: Session, isRequired: boolean): Promise<string | null> {
  if (mock) return null;
  try {
    return await (isRequired ? auth.requireBearer() : auth.bearer());
  } catch (thrown) {
    if (thrown instanceof NotAuthenticated) throw thrown;
    noteFailure();
    if (isNamed(thrown, "TimeoutError")) throw timeoutError();
    throw makeError(navigator.onLine ? "NETWORK_FAILED" : "NETWORK_OFFLINE");
  }
}

/** Sends the token, or the CSRF token that a call with the session cookie needs; renews a rejected token once. */
function credentials(auth: Session, isRequired: boolean): Middleware {
  const copies = new Map<string, Request>();
  return {
    async onRequest({ request, id }) {
      const token = await tokenFor(auth, isRequired);
      if (token) request.headers.set("Authorization", `Bearer ${token}`);
      if (!safeMethods.has(request.method)) {
        for (const [name, value] of Object.entries(csrfHeaders())) request.headers.set(name, value);
      }
      if (token) copies.set(id, request.clone());
      return request;
    },
    async onResponse({ response, id }) {
      const copy = copies.get(id);
      copies.delete(id);
      if (!copy || response.status !== 401) return undefined;
      const refused = copy.headers.get("Authorization")?.slice("Bearer ".length);
      if (!(await auth.renew(refused).catch(() => false))) return undefined;
      const fresh = auth.state.token;
      if (!fresh) return undefined;
      copy.headers.set("Authorization", `Bearer ${fresh}`);
      return reach(copy);
    },
    onError({ id }) {
      copies.delete(id);
      return undefined;
    },
  };
}

/** A client for a session; tests pass their own. */
export function createApiClient(auth: Session, { isRequired = false } = {}) {
  const client = createClient<paths>({
    baseUrl: location.origin,
    credentials: "same-origin",
    headers: { Accept: "application/json, application/problem+json" },
    fetch: reachWithNotice,
  });
  client.use(credentials(auth, isRequired));
  return client;
}

/** For calls that visitors may make, too; sends the token if there is one. */
export const api = createApiClient(session);

/** For calls that need a signed-in user; throws NotAuthenticated before any request without one. */
export const authenticatedApi = createApiClient(session, { isRequired: true });

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of a successful response; throws ApiError for any other. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer.catch((thrown: unknown) => {
    // A 200 whose body is not JSON: the page of a proxy.
    if (thrown instanceof SyntaxError) throw makeError("SERVER_ERROR");
    if (isNamed(thrown, "TimeoutError")) throw timeoutError();
    throw thrown;
  });
  if (!response.ok) throw errorOfResponse(response, error);
  return data as T;
}

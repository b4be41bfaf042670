/** The typed client of every island. Types come from the schema; failures are thrown as ApiError. */
import createClient, { type Middleware } from "openapi-fetch";

import { session } from "../auth/browser";
import { NotAuthenticated, type Session } from "../auth/session";
import { noteAnswer, noteFailure } from "../connection";
import { toast } from "../toasts";
import type { answer as answerOf } from "../../mock";
import { csrfHeaders } from "./csrf";
import { errorOfAnswer, lookup, makeError } from "./errors";
import type { paths } from "./schema.gen";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** MOCK_API: the module that answers instead of the server (assets/mock.ts). */
const mock = document.querySelector<HTMLMetaElement>('meta[name="study-mock"]')?.content;

async function mocked(address: string, request: Request): Promise<Response> {
  const { answer } = (await import(address)) as { answer: typeof answerOf };
  return answer(request);
}

/** After so long without an answer a call fails. */
export const TIMEOUT_MS = 30_000;
/** After so long a person who waits is told that it is slow. */
export const SLOW_MS = 5_000;

function isNamed(thrown: unknown, name: string): boolean {
  return typeof thrown === "object" && thrown !== null && "name" in thrown && thrown.name === name;
}

function timeoutError() {
  return makeError("NETWORK_TIMEOUT", { seconds: TIMEOUT_MS / 1000 });
}

/** The caller's signal, and the end of our patience. AbortSignal.any is younger than the browsers we support. */
function limited(callers: AbortSignal): AbortSignal {
  const limit = new AbortController();
  const abort = (): void => limit.abort(callers.reason);
  if (callers.aborted) abort();
  callers.addEventListener("abort", abort, { once: true });
  // It goes on while the body arrives; after that there is nothing left to abort.
  setTimeout(() => limit.abort(new DOMException("No answer", "TimeoutError")), TIMEOUT_MS);
  return limit.signal;
}

/** `fetch` with a time limit. Without an answer it fails with the reason in the words of the catalogue. */
export async function reach(request: Request): Promise<Response> {
  if (mock) return mocked(mock, request);
  try {
    // Looked up at each call: tests and the offline layer put their own in its place.
    // A page that is going does not wait for its last words to arrive.
    const signal = request.keepalive ? request.signal : limited(request.signal);
    const response = await globalThis.fetch(request, { signal });
    noteAnswer();
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

/** `reach`, while somebody waits: says once that it is slow, for all that is waited for. */
async function reachSoon(request: Request): Promise<Response> {
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

/** Sends the token, or the CSRF proof that a call by cookie needs; renews once what was refused. */
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

/** A client of its own, for tests and for another session than the browser's. */
export function createApiClient(auth: Session, { isRequired = false } = {}) {
  const client = createClient<paths>({
    baseUrl: location.origin,
    credentials: "same-origin",
    headers: { Accept: "application/json, application/problem+json" },
    fetch: reachSoon,
  });
  client.use(credentials(auth, isRequired));
  return client;
}

/** For calls that a visitor may make too; sends the token if there is one. */
export const api = createApiClient(session);

/** For calls that need a person; fails with “User is not authenticated” before it asks. */
export const authenticatedApi = createApiClient(session, { isRequired: true });

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer; throws ApiError for every other. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer.catch((thrown: unknown) => {
    // A 200 whose body is no JSON: a proxy's page in the place of an answer.
    if (thrown instanceof SyntaxError) throw makeError("SERVER_ERROR");
    if (isNamed(thrown, "TimeoutError")) throw timeoutError();
    throw thrown;
  });
  if (!response.ok) throw errorOfAnswer(response, error);
  return data as T;
}

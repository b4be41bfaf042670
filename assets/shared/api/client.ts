/** The typed client of every island. Types come from the schema; failures are thrown as ApiError. */
import createClient, { type Middleware } from "openapi-fetch";

import { session } from "../auth/browser";
import { NotAuthenticated, type Session } from "../auth/session";
import { csrfHeaders } from "./csrf";
import { errorOfAnswer, makeError } from "./errors";
import type { paths } from "./schema.gen";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === "AbortError";
}

/** `fetch`, whose failure to reach the server is a NETWORK_OFFLINE. */
async function reach(request: Request): Promise<Response> {
  try {
    // Looked up at each call: tests and the offline layer put their own in its place.
    return await globalThis.fetch(request);
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown;
    throw makeError("NETWORK_OFFLINE");
  }
}

async function tokenFor(auth: Session, isRequired: boolean): Promise<string | null> {
  try {
    return await (isRequired ? auth.requireBearer() : auth.bearer());
  } catch (thrown) {
    if (thrown instanceof NotAuthenticated) throw thrown;
    throw makeError("NETWORK_OFFLINE");
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
export function makeClient(auth: Session, { isRequired = false } = {}) {
  const client = createClient<paths>({
    baseUrl: location.origin,
    credentials: "same-origin",
    headers: { Accept: "application/json, application/problem+json" },
    fetch: reach,
  });
  client.use(credentials(auth, isRequired));
  return client;
}

/** For calls that a visitor may make too; sends the token if there is one. */
export const api = makeClient(session);

/** For calls that need a person; fails with “User is not authenticated” before it asks. */
export const authenticatedApi = makeClient(session, { isRequired: true });

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer; throws ApiError for every other. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer.catch((thrown: unknown) => {
    // A 200 whose body is no JSON: a proxy's page in the place of an answer.
    if (thrown instanceof SyntaxError) throw makeError("SERVER_ERROR");
    throw thrown;
  });
  if (!response.ok) throw errorOfAnswer(response, error);
  return data as T;
}

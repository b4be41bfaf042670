/** The session of this browser, shared by the scripts and islands of the page. */
import { csrfHeaders } from "../api/csrf";
import { type Credentials, Session } from "./session";

/** Who is signed in by the cookie, whatever this page shows; null: nobody. Rejects if the server is unreachable. */
export async function fetchSession(): Promise<Credentials | null> {
  const answer = await fetch("/api/v1/auth/session/", {
    credentials: "same-origin",
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal: AbortSignal.timeout(30_000),
  });
  if (answer.status === 401 || answer.status === 403) return null;
  if (!answer.ok) throw new Error(`The session could not be read (${answer.status})`);
  return (await answer.json()) as Credentials;
}

async function endSession(): Promise<void> {
  await fetch("/api/v1/auth/logout", {
    method: "POST",
    credentials: "same-origin",
    headers: csrfHeaders(),
    keepalive: true,
  });
}

function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // storage is blocked
  }
}

function renderedFor(): string | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="study-user"]');
  return meta?.content ?? null;
}

async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  // The Web Locks API exists on secure origins only. Elsewhere two tabs may both renew, which does no harm.
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks ? await locks.request("study.auth", work) : await work();
}

export const session = new Session({
  storage: browserStorage(),
  fetchSession,
  endSession,
  renderedFor: renderedFor(),
  exclusively,
});

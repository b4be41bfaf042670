/**
 * The browser's half of a session: `study.auth` = {user, token} in local storage, the same in every
 * tab. The authority is the server's cookie session; from it the short-lived token is renewed.
 */
import { isTokenValid } from "./token";

export const STORAGE_KEY = "study.auth";
export const LOGOUT_EVENT = "auth:logout";

export type Role = "student" | "instructor" | "admin";
export type SessionUser = {
  id?: string;
  username: string;
  email: string;
  role: Role;
  roles?: Role[];
  avatar_url?: string | null;
  /** The look kept with the account; empty: never chosen, or as the device. */
  theme?: string;
  style?: string;
  [field: string]: unknown;
};
export type Credentials = { user: SessionUser; token: string };
export type SessionState =
  | { isLoading: true; user: null; token: null }
  | { isLoading: false; user: SessionUser; token: string }
  | { isLoading: false; user: null; token: null };

/** A call that needs a person was made without a valid session. */
export class NotAuthenticated extends Error {
  override readonly name = "NotAuthenticated";
  constructor() {
    super("User is not authenticated");
  }
}

/** What the session needs of the world; tests bring their own. */
export type SessionPorts = {
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  /** A fresh token for the cookie's user; null if nobody is signed in. Rejects if not reachable. */
  fetchSession: () => Promise<Credentials | null>;
  endSession: () => Promise<void>;
  /** Whom the server rendered this page for: an id, "" for a visitor, null if the page is silent. */
  renderedFor: string | null;
  /** Run one at a time over all tabs. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
};

const loading: SessionState = { isLoading: true, user: null, token: null };
const signedOut: SessionState = { isLoading: false, user: null, token: null };

/** The stored text as a session whose token is valid now, else null. */
export function readCredentials(stored: string | null): Credentials | null {
  if (stored === null) return null;
  try {
    const value = JSON.parse(stored) as Partial<Credentials> | null;
    const user = value?.user;
    if (typeof user !== "object" || (user as object | null) === null) return null;
    return isTokenValid(value?.token) ? { user, token: value.token } : null;
  } catch {
    return null; // not JSON: somebody else's, or torn
  }
}

export class Session {
  #state: SessionState = loading;
  #listeners = new Set<() => void>();
  #renewal: Promise<boolean> | null = null;
  #ending: Promise<void> | null = null;

  constructor(private readonly ports: SessionPorts) {}

  get state(): SessionState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Signed in with a token that still serves. */
  get isAuthenticated(): boolean {
    return this.#state.user !== null && isTokenValid(this.#state.token);
  }

  /** Read what is stored, listen to other tabs, and fetch what the page says must be there. */
  async start(): Promise<void> {
    addEventListener("storage", (event) => {
      if (event.key === STORAGE_KEY || event.key === null) this.#adopt(event.newValue);
    });
    addEventListener(LOGOUT_EVENT, () => this.#forget());

    const { renderedFor } = this.ports;
    const stored = readCredentials(this.#stored());
    const stranger = stored?.user.id !== undefined && stored.user.id !== renderedFor;
    if (stored && (renderedFor === null || (renderedFor !== "" && !stranger))) {
      this.#set({ isLoading: false, ...stored });
      return;
    }
    this.#erase();
    // Stays "loading" meanwhile: an island must not flash its signed-out face.
    if (renderedFor) await this.renew().catch(() => false);
    if (this.#state.isLoading) this.#set(signedOut);
  }

  /** Keep and show a session that the server has just given. */
  login(user: SessionUser, token: string): void {
    this.#store({ user, token });
  }

  /** End the session here, in the other tabs and on the server. */
  async logout(): Promise<void> {
    this.#ending = this.ports.endSession();
    this.clear();
    try {
      await this.#ending;
    } finally {
      this.#ending = null;
      // Another tab may have renewed its token between our word and the server's.
      this.#forget();
    }
  }

  /** End the browser's half only: for a form that signs out, and for a token that has run out. */
  clear(): void {
    this.#forget();
    dispatchEvent(new Event(LOGOUT_EVENT));
  }

  /** Whether somebody is signed in. An expired token signs out; the cookie may sign in again. */
  async checkAuth(): Promise<boolean> {
    if (this.isAuthenticated) return true;
    if (this.#state.user) this.clear();
    if (!this.ports.renderedFor) return false;
    return this.renew().catch(() => false);
  }

  /** The token for a call, renewed if it is about to end; null for a visitor. Rejects if offline. */
  async bearer(): Promise<string | null> {
    if (this.isAuthenticated) return this.#state.token;
    if (!this.#state.user && !this.ports.renderedFor) return null;
    await this.renew();
    return this.#state.token;
  }

  /** The token for a call that needs a person. */
  async requireBearer(): Promise<string> {
    const token = await this.bearer();
    if (token === null) throw new NotAuthenticated();
    return token;
  }

  /** Ask the server for a fresh token, once however many ask; false if nobody is signed in. */
  renew(refused?: string): Promise<boolean> {
    this.#renewal ??= this.ports
      .exclusively(() => this.#renew(refused ?? this.#state.token))
      .finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async #renew(refused: string | null): Promise<boolean> {
    await this.#ending?.catch(() => undefined);
    // Another tab may have been here while we waited for our turn.
    const stored = readCredentials(this.#stored());
    if (stored && stored.token !== refused) {
      this.#set({ isLoading: false, ...stored });
      return true;
    }
    const fresh = await this.ports.fetchSession();
    if (fresh) this.#store(fresh);
    else this.clear();
    return fresh !== null;
  }

  /** Read the storage again: it may have changed while the page was frozen. */
  refresh(): void {
    this.#adopt(this.#stored());
  }

  #adopt(stored: string | null): void {
    const credentials = readCredentials(stored);
    this.#set(credentials ? { isLoading: false, ...credentials } : signedOut);
  }

  #store({ user, token }: Credentials): void {
    try {
      this.ports.storage?.setItem(STORAGE_KEY, JSON.stringify({ user, token }));
    } catch {
      // Storage is full or blocked: the session lives as long as the page.
    }
    this.#set({ isLoading: false, user, token });
  }

  #stored(): string | null {
    try {
      return this.ports.storage?.getItem(STORAGE_KEY) ?? null;
    } catch {
      return null;
    }
  }

  #erase(): void {
    try {
      if (this.#stored() !== null) this.ports.storage?.removeItem(STORAGE_KEY);
    } catch {
      // Nothing can be kept there either.
    }
  }

  #forget(): void {
    this.#erase();
    this.#set(signedOut);
  }

  #set(state: SessionState): void {
    if (!state.user && !this.#state.user && state.isLoading === this.#state.isLoading) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

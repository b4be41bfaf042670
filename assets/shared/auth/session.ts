/**
 * The session in the browser: `study.auth` = {user, token} in local storage, shared by all tabs. The authority is the
 * cookie session of the server, which renews the short-lived token.
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
  /** Theme and style of the account; empty if never chosen, or as the device. */
  theme?: string;
  style?: string;
  [field: string]: unknown;
};
export type Credentials = { user: SessionUser; token: string };
export type SessionState =
  | { isLoading: true; user: null; token: null }
  | { isLoading: false; user: SessionUser; token: string }
  | { isLoading: false; user: null; token: null };

/** A call that needs a signed-in user was made without a valid session. */
export class NotAuthenticated extends Error {
  override readonly name = "NotAuthenticated";
  constructor() {
    super("User is not authenticated");
  }
}

/** The dependencies of a session; tests pass their own. */
export type SessionDependencies = {
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  /** Fetch a new token for the user of the cookie; null if nobody is signed in. Rejects if the server is unreachable. */
  fetchSession: () => Promise<Credentials | null>;
  endSession: () => Promise<void>;
  /** The user whom the server rendered this page for: an id, "" for a visitor, null if the page does not say. */
  renderedFor: string | null;
  /** Run the function while no other tab runs one. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
};

const loading: SessionState = { isLoading: true, user: null, token: null };
const signedOut: SessionState = { isLoading: false, user: null, token: null };

/** The session in a stored text; null unless its token is valid now. */
export function readCredentials(stored: string | null): Credentials | null {
  if (stored === null) return null;
  try {
    const value = JSON.parse(stored) as Partial<Credentials> | null;
    const user = value?.user;
    if (typeof user !== "object" || (user as object | null) === null) return null;
    return isTokenValid(value?.token) ? { user, token: value.token } : null;
  } catch {
    return null; // not JSON
  }
}

export class Session {
  #state: SessionState = loading;
  #listeners = new Set<() => void>();
  #renewal: Promise<boolean> | null = null;
  #ending: Promise<void> | null = null;
  #isAssumed = false;

  constructor(private readonly dependencies: SessionDependencies) {}

  get state(): SessionState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Whether a user is signed in with a valid token. */
  get isAuthenticated(): boolean {
    return this.#isAssumed || (this.#state.user !== null && isTokenValid(this.#state.token));
  }

  /** Whether the page acts as a user without having asked the server. */
  get isAssumed(): boolean {
    return this.#isAssumed;
  }

  /** Show this user's things without asking the server: for a page whose calls are answered on this device. */
  assume(user: SessionUser): void {
    this.#isAssumed = true;
    this.#set({ isLoading: false, user, token: "" });
  }

  /** Read the stored session, listen to other tabs, and fetch a session if the page was rendered for a user. */
  async start(): Promise<void> {
    addEventListener("storage", (event) => {
      if (event.key === STORAGE_KEY || event.key === null) this.#readStored(event.newValue);
    });
    addEventListener(LOGOUT_EVENT, () => this.#removeStored());

    const { renderedFor } = this.dependencies;
    const stored = readCredentials(this.#stored());
    const stranger = stored?.user.id !== undefined && stored.user.id !== renderedFor;
    if (stored && (renderedFor === null || (renderedFor !== "" && !stranger))) {
      this.#set({ isLoading: false, ...stored });
      return;
    }
    this.#erase();
    // The state stays "loading" meanwhile, so that islands do not flash as signed out.
    if (renderedFor) await this.renew().catch(() => false);
    if (this.#state.isLoading) this.#set(signedOut);
  }

  /** Store a session that the server has created. */
  login(user: SessionUser, token: string): void {
    this.#store({ user, token });
  }

  /** End the session here, in the other tabs and on the server. */
  async logout(): Promise<void> {
    this.#ending = this.dependencies.endSession();
    this.clear();
    try {
      await this.#ending;
    } finally {
      this.#ending = null;
      // Another tab may have renewed its token before the server ended the session.
      this.#removeStored();
    }
  }

  /** End the session in the browser only: for a form that signs out, and for an expired token. */
  clear(): void {
    this.#removeStored();
    dispatchEvent(new Event(LOGOUT_EVENT));
  }

  /** Whether a user is signed in. An expired token signs out; the cookie may sign in again. */
  async checkAuth(): Promise<boolean> {
    if (this.isAuthenticated) return true;
    if (this.#state.user) this.clear();
    if (!this.dependencies.renderedFor) return false;
    return this.renew().catch(() => false);
  }

  /** The token for a call, renewed if it is about to expire; null for a visitor. Rejects if offline. */
  async bearer(): Promise<string | null> {
    if (this.isAuthenticated) return this.#state.token;
    if (!this.#state.user && !this.dependencies.renderedFor) return null;
    await this.renew();
    return this.#state.token;
  }

  /** The token for a call that needs a signed-in user. */
  async requireBearer(): Promise<string> {
    const token = await this.bearer();
    if (token === null) throw new NotAuthenticated();
    return token;
  }

  /** Fetch a new token, once for simultaneous callers; false if nobody is signed in. */
  renew(refused?: string): Promise<boolean> {
    this.#renewal ??= this.dependencies
      .exclusively(() => this.#renew(refused ?? this.#state.token))
      .finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async #renew(refused: string | null): Promise<boolean> {
    await this.#ending?.catch(() => undefined);
    // Another tab may have renewed the token while this one waited for the lock.
    const stored = readCredentials(this.#stored());
    if (stored && stored.token !== refused) {
      this.#set({ isLoading: false, ...stored });
      return true;
    }
    const fresh = await this.dependencies.fetchSession();
    if (fresh) this.#store(fresh);
    else this.clear();
    return fresh !== null;
  }

  /** Read the storage again: it may have changed while the page was frozen. */
  refresh(): void {
    this.#readStored(this.#stored());
  }

  #readStored(stored: string | null): void {
    if (this.#isAssumed) return;
    const credentials = readCredentials(stored);
    this.#set(credentials ? { isLoading: false, ...credentials } : signedOut);
  }

  #store({ user, token }: Credentials): void {
    try {
      this.dependencies.storage?.setItem(STORAGE_KEY, JSON.stringify({ user, token }));
    } catch {
      // Storage is full or blocked: the session lasts as long as the page.
    }
    this.#set({ isLoading: false, user, token });
  }

  #stored(): string | null {
    try {
      return this.dependencies.storage?.getItem(STORAGE_KEY) ?? null;
    } catch {
      return null;
    }
  }

  #erase(): void {
    try {
      if (this.#stored() !== null) this.dependencies.storage?.removeItem(STORAGE_KEY);
    } catch {
      // Storage is blocked: nothing is stored.
    }
  }

  #removeStored(): void {
    this.#isAssumed = false;
    this.#erase();
    this.#set(signedOut);
  }

  #set(state: SessionState): void {
    if (!state.user && !this.#state.user && state.isLoading === this.#state.isLoading) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

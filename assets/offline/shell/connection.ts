/** Whether the server answers, asked again and again while it doesn't. */

/** Seconds between two questions. */
export const CHECK_INTERVAL_SECONDS = 30;
const CHECK_TIMEOUT_MS = 10_000;
const SINCE_KEY = "study.offline.since";

export type ConnectionState =
  { isOnline: false; since: number; nextCheck: number; isChecking: boolean } | { isOnline: true };

/** Ask the server for a sign of life. A login page of a hotel is none. */
export async function asksServer(): Promise<boolean> {
  try {
    const answer = await fetch("/healthz", {
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    });
    await answer.json();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Since when this browser has no connection, as far as its pages know. */
function readSince(lastContact: number): number {
  try {
    const kept = Number(localStorage.getItem(SINCE_KEY) ?? 0);
    if (kept > lastContact) return kept;
    localStorage.setItem(SINCE_KEY, String(Date.now()));
  } catch {
    // Storage is blocked: since this page was opened.
  }
  return Date.now();
}

export class Connection {
  #state: ConnectionState;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param lastContact of the account with the server, in milliseconds since 1970 */
  constructor(
    lastContact: number,
    private readonly onChange: (state: ConnectionState) => void,
    private readonly ask: () => Promise<boolean> = asksServer,
  ) {
    const since = readSince(lastContact);
    this.#state = { isOnline: false, since, nextCheck: 0, isChecking: false };
  }

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    addEventListener("online", () => void this.check());
    addEventListener("offline", () => this.lose());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.#isDue()) void this.check();
    });
    this.#wait();
  }

  /** Ask now. */
  async check(): Promise<void> {
    const before = this.#state;
    if (before.isOnline || before.isChecking) return;
    clearTimeout(this.#timer);
    this.#set({ ...before, isChecking: true });
    if (await this.ask()) {
      try {
        localStorage.removeItem(SINCE_KEY);
      } catch {
        // Storage is blocked.
      }
      this.#set({ isOnline: true });
    } else this.#wait();
  }

  /** The connection was lost again. */
  lose(): void {
    if (!this.#state.isOnline) return;
    this.#state = { isOnline: false, since: Date.now(), nextCheck: 0, isChecking: false };
    this.#wait();
  }

  #isDue(): boolean {
    return !this.#state.isOnline && Date.now() >= this.#state.nextCheck;
  }

  #wait(): void {
    if (this.#state.isOnline) return;
    const nextCheck = Date.now() + CHECK_INTERVAL_SECONDS * 1000;
    this.#set({ ...this.#state, isChecking: false, nextCheck });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), CHECK_INTERVAL_SECONDS * 1000);
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    this.onChange(state);
  }
}

/** The countdown before a failed action is retried. Independent of React and of what the action does. */

/** After this many failures in a row it is not retried automatically. */
export const MAX_FAILURES = 3;
const TICK_MS = 200;

export type RetryState = {
  /** Milliseconds until the next automatic retry; null if there is none. */
  left: number | null;
  /** Milliseconds of the whole wait. */
  wait: number;
  isTrying: boolean;
};

export class RetryClock {
  #state: RetryState = { left: null, wait: 0, isTrying: false };
  #listeners = new Set<() => void>();
  #failures = 0;
  #latest: unknown = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #action: () => unknown = () => undefined;

  get state(): RetryState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Set the action: resolves on success, rejects on failure. */
  onTry(action: () => unknown): void {
    this.#action = action;
  }

  /**
   * Report a failure. The same error reported twice counts once.
   * @param wait milliseconds until the next retry; 0 if it must not be retried
   */
  failed(error: unknown, wait: number): void {
    const isNew = error !== this.#latest;
    this.#latest = error;
    if (isNew) {
      this.#failures += 1;
      const isWorthIt = wait > 0 && this.#failures <= MAX_FAILURES;
      this.#set({ left: isWorthIt ? wait : null, wait });
    }
    if (this.#state.left !== null) this.#start();
  }

  succeeded(): void {
    this.#failures = 0;
    this.#latest = null;
    this.stop();
  }

  tryNow = (): void => {
    this.stop();
    this.#set({ isTrying: true });
    void Promise.resolve()
      .then(() => this.#action())
      .catch(() => undefined) // reported as the next failure
      .then(() => this.#set({ isTrying: false }));
  };

  stop = (): void => {
    this.pause();
    this.#set({ left: null });
  };

  /** Pause the countdown, e.g. while nothing shows it; `failed` with the same error continues it. */
  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #start(): void {
    this.#timer ??= setInterval(() => {
      const { left } = this.#state;
      // A page in the background must not send requests.
      if (left === null || document.visibilityState === "hidden") return;
      if (left > TICK_MS) this.#set({ left: left - TICK_MS });
      else this.tryNow();
    }, TICK_MS);
  }

  #set(change: Partial<RetryState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** The wait before something that failed is tried again by itself. No React, no fetch. */

/** After so many failures in a row it is left to the person. */
export const MOST_FAILURES = 3;
const TICK_MS = 200;

export type RetryState = {
  /** Milliseconds until the next try by itself; null if there will be none. */
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

  /** What a try does: resolves if it worked, rejects if it failed once more. */
  onTry(action: () => unknown): void {
    this.#action = action;
  }

  /**
   * It failed. The same failure reported twice counts once.
   * @param wait milliseconds until the next try; 0 if the failure is not one to repeat
   */
  failed(error: unknown, wait: number): void {
    const isNew = error !== this.#latest;
    this.#latest = error;
    if (isNew) {
      this.#failures += 1;
      const isWorthIt = wait > 0 && this.#failures <= MOST_FAILURES;
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
      .catch(() => undefined) // it comes back as the next failure
      .then(() => this.#set({ isTrying: false }));
  };

  stop = (): void => {
    this.pause();
    this.#set({ left: null });
  };

  /** Stand still, e.g. because nothing shows the wait; `failed` with the same error goes on. */
  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #start(): void {
    this.#timer ??= setInterval(() => {
      const { left } = this.#state;
      // Nobody looks: a page in the background must not knock at the server.
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

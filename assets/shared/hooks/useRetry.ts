import { useEffect, useState, useSyncExternalStore } from "react";

import { type ApiError, lookup } from "../api/errors";
import { RetryClock } from "./retry";

export type Retry = {
  /** Seconds until the next automatic retry; null if there is none. */
  secondsLeft: number | null;
  /** Seconds of the whole wait. */
  wait: number;
  /** How much of the wait is left, 100 to 0. */
  percentLeft: number;
  isTrying: boolean;
  tryNow: () => void;
  stop: () => void;
};

/**
 * Retry a failed action after the delay of its code in the catalogue (3, 5, 10 or 15 s), at most three times in a
 * row, and not while the page is in the background.
 */
export function useRetry(error: ApiError | null, onRetry?: () => unknown): Retry {
  const [clock] = useState(() => new RetryClock());
  const { left, wait, isTrying } = useSyncExternalStore(clock.subscribe, () => clock.state);
  const canRetry = onRetry !== undefined;

  useEffect(() => {
    clock.onTry(onRetry ?? (() => undefined));
  }, [clock, onRetry]);
  useEffect(() => {
    if (error) {
      const entry = lookup(error.problem.code);
      const seconds = canRetry && entry.autoRetry ? (entry.retryDelay ?? 0) : 0;
      clock.failed(error, seconds * 1000);
    } else clock.succeeded();
    // Retry when the connection is back, however often it has failed before.
    if (error && canRetry) addEventListener("online", clock.tryNow);
    return () => {
      clock.pause();
      removeEventListener("online", clock.tryNow);
    };
  }, [clock, error, canRetry]);

  return {
    secondsLeft: left === null ? null : Math.ceil(left / 1000),
    wait: wait / 1000,
    percentLeft: left === null || wait === 0 ? 0 : (left / wait) * 100,
    isTrying,
    tryNow: clock.tryNow,
    stop: clock.stop,
  };
}

import { useEffect, useState } from "react";

/**
 * Whole seconds until `end` (ms since 1970); null without one. Calls `onEnd` once at the end.
 * Reads the clock at each tick, as a suspended tab misses ticks.
 */
export function useCountdown(end: number | null, onEnd: () => void): number | null {
  const [now, setNow] = useState(() => Date.now());
  const left = end === null ? null : Math.max(0, Math.ceil((end - now) / 1000));
  const isOver = left === 0;

  useEffect(() => {
    if (end === null || isOver) return;
    const tick = (): void => setNow(Date.now());
    const timer = setInterval(tick, 250);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [end, isOver]);
  useEffect(() => {
    if (isOver) onEnd();
    // Once per end, not for each new function.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOver]);

  return left;
}

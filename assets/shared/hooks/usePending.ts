import { useEffect, useRef, useState } from "react";

export const PENDING_MS = 1000;
export const SHOWN_MS = 500;

/** Whether to show that something is loading: after a second, and then for at least half a second. */
export function usePending(isWaiting: boolean): boolean {
  const [isShown, setShown] = useState(false);
  const since = useRef(0);
  useEffect(() => {
    if (isWaiting === isShown) return undefined;
    const left = isWaiting ? PENDING_MS : Math.max(0, SHOWN_MS - (Date.now() - since.current));
    const timer = setTimeout(() => {
      since.current = Date.now();
      setShown(isWaiting);
    }, left);
    return () => clearTimeout(timer);
  }, [isWaiting, isShown]);
  return isShown;
}

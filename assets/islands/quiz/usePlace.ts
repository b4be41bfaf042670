import { useEffect, useState, useSyncExternalStore } from "react";

/** Number of the question that is being read: the topmost on the screen. */
export function useCurrent(total: number): number {
  const [current, setCurrent] = useState(1);
  useEffect(() => {
    if (!("IntersectionObserver" in window)) return;
    const seen = new Set<number>();
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const number = Number(target.id.slice(1));
          if (isIntersecting) seen.add(number);
          else seen.delete(number);
        }
        if (seen.size > 0) setCurrent(Math.min(...seen));
      },
      { rootMargin: "-15% 0px -45%" },
    );
    for (let number = 1; number <= total; number++) {
      const question = document.getElementById(`q${number}`);
      if (question) watcher.observe(question);
    }
    return () => watcher.disconnect();
  }, [total]);
  return current;
}

function subscribe(heard: () => void): () => void {
  addEventListener("online", heard);
  addEventListener("offline", heard);
  return () => {
    removeEventListener("online", heard);
    removeEventListener("offline", heard);
  };
}

/** What the browser believes about the connection. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

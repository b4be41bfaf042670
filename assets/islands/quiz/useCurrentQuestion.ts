import { useEffect, useState } from "react";

/** The number of the topmost question on the screen, from 1. */
export function useCurrentQuestion(total: number): number {
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

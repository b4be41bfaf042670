import type { CSSProperties } from "react";

/** How much of a wait is left, beside the words that say it. */
export function CountdownRing({ percent }: { percent: number }) {
  const circle = { cx: 12, cy: 12, r: 9, pathLength: 100 };
  return (
    <svg className="countdown" viewBox="0 0 24 24" aria-hidden="true">
      <circle {...circle} />
      <circle {...circle} style={{ "--v": percent } as CSSProperties} />
    </svg>
  );
}

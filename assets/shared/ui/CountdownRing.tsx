import type { CSSProperties } from "react";

/** A ring that shows how much of a wait is left. Decorative: the text beside it says the same. */
export function CountdownRing({ percent }: { percent: number }) {
  const circle = { cx: 12, cy: 12, r: 9, pathLength: 100 };
  return (
    <svg className="countdown" viewBox="0 0 24 24" aria-hidden="true">
      <circle {...circle} />
      <circle {...circle} style={{ "--v": percent } as CSSProperties} />
    </svg>
  );
}

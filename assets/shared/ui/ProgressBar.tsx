import type { CSSProperties } from "react";

type Props = { label: string; percent: number; isThin?: boolean };

export function ProgressBar({ label, percent, isThin = false }: Props) {
  const value = Math.round(Math.min(100, Math.max(0, percent)));
  return (
    <span
      className={isThin ? "bar bar--thin" : "bar"}
      role="progressbar"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ "--v": value } as CSSProperties} />
    </span>
  );
}

import type { LucideIcon } from "lucide-react";

type Props = {
  icon: LucideIcon;
  /** What it says to those who do not see it; without a label it is decoration beside a word. */
  label?: string;
  className?: string;
};

/** A Lucide icon in the size and stroke of the pages. */
export function Icon({ icon: Drawing, label, className = "" }: Props) {
  const spoken =
    label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return <Drawing className={`i ${className}`.trim()} strokeWidth={1.75} {...spoken} />;
}

/** Where the page has its sprite: every page draws some icon from it. */
function spriteAddress(): string {
  const use = document.querySelector('svg.i > use[href*="#"]');
  return use?.getAttribute("href")?.split("#")[0] ?? "";
}

/** An icon by its name, as the error catalogue gives it: from the page's sprite, so it costs no code. */
export function NamedIcon({ name, className = "" }: { name: string; className?: string }) {
  return (
    <svg className={`i ${className}`.trim()} aria-hidden="true">
      <use href={`${spriteAddress()}#${name}`} />
    </svg>
  );
}

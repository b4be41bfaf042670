import type { IconName } from "../iconNames";
import { iconAddress } from "../icons";

type Props = {
  name: IconName;
  /** What a screen reader says; without a label the icon is decoration beside text. */
  label?: string | undefined;
  className?: string;
};

/** An icon of the page's sprite, in the size and stroke of the class `i`. */
export function Icon({ name, label, className = "" }: Props) {
  const spoken =
    label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return (
    <svg className={`i ${className}`.trim()} {...spoken}>
      <use href={iconAddress(name)} />
    </svg>
  );
}

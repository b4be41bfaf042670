import {
  Bot,
  CircleAlert,
  CircleCheck,
  Clock,
  CloudOff,
  CreditCard,
  HardDrive,
  Info,
  Lock,
  type LucideIcon,
  Mail,
  Wifi,
  WifiOff,
  Wrench,
} from "lucide-react";

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

/** The icons that the error catalogue names. */
const named: Record<string, LucideIcon> = {
  bot: Bot,
  "circle-alert": CircleAlert,
  "circle-check": CircleCheck,
  clock: Clock,
  "cloud-off": CloudOff,
  "credit-card": CreditCard,
  "hard-drive": HardDrive,
  info: Info,
  lock: Lock,
  mail: Mail,
  wifi: Wifi,
  "wifi-off": WifiOff,
  wrench: Wrench,
};

export function iconNamed(name: string): LucideIcon {
  return named[name] ?? CircleAlert;
}

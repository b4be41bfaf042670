import type { ComponentProps } from "react";

import { announce } from "../../shared/announce";
import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { useCountdown } from "./useCountdown";

type Props = Pick<ComponentProps<typeof Button>, "look" | "size" | "className"> & {
  isFirst: boolean;
  /** The number of the attempt that was reopened; null for a new one. */
  continues: number | null;
  /** When another attempt may be opened, in ms since 1970; null: now. */
  opensAt: number | null;
  isOpening: boolean;
  onOpen: () => void;
};

/** The button that opens an attempt. While the learner has to wait, it shows how long and stays focusable. */
export function OpenAttempt({ isFirst, continues, opensAt, isOpening, onOpen, ...button }: Props) {
  const left = useCountdown(opensAt, () => announce(t("You can start your next attempt.")));
  const isWaiting = left !== null && left > 0;
  return (
    <Button
      {...button}
      isBusy={isOpening}
      aria-disabled={isWaiting || undefined}
      onClick={() => {
        if (!isWaiting) onOpen();
      }}
    >
      {isWaiting
        ? t("Try again in {time}", { time: clock(left) })
        : continues !== null
          ? t("Continue attempt {number}", { number: continues })
          : isFirst
            ? t("Start the quiz")
            : t("Try again")}
    </Button>
  );
}

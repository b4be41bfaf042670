import { useEffect, useState } from "react";

import { announce } from "../../shared/announce";
import { clock, duration, spokenTime } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { ProgressBar } from "../../shared/ui/ProgressBar";

const KEY = "study.quiz.clock";
/** Seconds left at which the time is announced, even while the clock is hidden. */
const WARNINGS = [300, 120, 30];

type Props = { left: number; limit: number };

/** The time left. It can be hidden; warnings are announced near the end. */
export function Clock({ left, limit }: Props) {
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(KEY) === "hidden");
  const warning = WARNINGS.find((seconds) => left === seconds);
  useEffect(() => {
    if (warning !== undefined)
      announce(t("{time} left", { time: spokenTime(warning) }), "assertive");
  }, [warning]);

  const toggle = (): void => {
    setIsHidden(!isHidden);
    if (isHidden) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "hidden");
  };
  return (
    <>
      <div className="row row--between clockrow">
        {isHidden ? (
          <p className="muted">{t("The clock is hidden")}</p>
        ) : (
          <p
            className="clock"
            role="timer"
            aria-label={t("Time left, {time}", { time: spokenTime(left) })}
          >
            {clock(left)} <small>{t("left of {time}", { time: duration(limit) })}</small>
          </p>
        )}
        <button
          className="icon-btn icon-btn--sm"
          type="button"
          aria-label={isHidden ? t("Show the clock") : t("Hide the clock")}
          onClick={toggle}
        >
          <Icon name={isHidden ? "eye" : "eye-off"} />
        </button>
      </div>
      {!isHidden && <ProgressBar isThin label={t("Time left")} percent={(left / limit) * 100} />}
    </>
  );
}

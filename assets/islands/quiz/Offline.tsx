import { useEffect, useRef } from "react";

import { dateAndTime, longDate } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { OfflineQuiz } from "../../shared/questions/types";
import type { QuizProps } from "./api";

/** What counts without a connection, said before the attempt is opened. */
export function OfflineRules({ quiz, offline }: { quiz: QuizProps; offline: OfflineQuiz }) {
  return (
    <div className="start__await">
      <div>
        <h2 className="h5">{t("Without a connection")}</h2>
        <ul className="ticks">
          <li>
            <Icon name="hourglass" />
            {t("Your answers are kept on this device. They're marked when you're back online.")}
          </li>
          {quiz.time_limit > 0 && (
            <li>
              <Icon name="clock" />
              {t(
                "This device keeps the time, even while it's closed, and the server checks it later.",
              )}
            </li>
          )}
          <li>
            <Icon name="refresh-cw" />
            {t("You can take it once while you're offline.")}
          </li>
          <li>
            <Icon name="calendar-days" />
            {t("Submit it before {day}, when it expires on this device.", {
              day: longDate(offline.expires_at),
            })}
          </li>
        </ul>
      </div>
    </div>
  );
}

/** Why no attempt can be opened here. */
export function whyNotOffline({ kept_at: keptAt, refusal }: OfflineQuiz): string {
  if (keptAt) return t("You can take it again when you're back online, if you have attempts left.");
  return refusal?.message ?? t("This quiz can't be taken without a connection.");
}

/** An attempt that was submitted on this device and has no mark yet. */
export function Kept({ at, isFresh }: { at: string; isFresh: boolean }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isFresh) title.current?.focus();
  }, [isFresh]);
  return (
    <section className="panel panel__body mt-6" aria-labelledby="kept">
      <p className="row row--tight">
        <Icon name="hourglass" />
        <span className="small faint">{dateAndTime(at)}</span>
      </p>
      <h2 className="h4 mt-2" id="kept" ref={title} tabIndex={-1}>
        {t("Your attempt is kept on this device")}
      </h2>
      <p className="muted mt-2">{t("It's marked when you're back online.")}</p>
    </section>
  );
}

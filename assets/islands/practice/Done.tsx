import { useEffect, useRef } from "react";

import { clock, longDate } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import type { Answered, PracticeProps } from "./api";

export type Rewatch = NonNullable<Answered["result"]["rewatch"]>;

type Props = {
  practice: PracticeProps;
  done: readonly boolean[];
  seconds: number;
  /** Where the missed cards were explained. */
  rewatch: readonly Rewatch[];
};

/** The end of a visit: how it went, and what comes tomorrow. Without cards: that nothing is due. */
export function Done({ practice, done, seconds, rewatch }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const total = done.length;
  useEffect(() => {
    if (total > 0) heading.current?.focus();
  }, [total]);
  if (total === 0) return <Nothing practice={practice} />;
  const remembered = done.filter(Boolean).length;
  const percent = Math.round((100 * remembered) / total);

  return (
    <section className="panel verdict" aria-labelledby="end">
      <div
        className="ring"
        role="img"
        aria-label={t("{count} of {total} remembered", { count: remembered, total })}
      >
        <svg viewBox="0 0 100 100" aria-hidden="true">
          <circle cx="50" cy="50" r="43" pathLength="100" />
          {percent > 0 && (
            <circle cx="50" cy="50" r="43" pathLength="100" strokeDasharray={`${percent} 100`} />
          )}
        </svg>
        <b aria-hidden="true">{remembered}</b>
      </div>
      <div>
        <p className="kicker">
          {tn("{count} card, {time}", "{count} cards, {time}", total, { time: clock(seconds) })}
        </p>
        <h2 className="h3 mt-2" id="end" ref={heading} tabIndex={-1}>
          {t("Done for today")}
        </h2>
        <p className="muted mt-2">
          {t("You remembered {count} of {total}.", { count: remembered, total })}{" "}
          {tomorrow(practice)}
        </p>
      </div>
      <div className="stack verdict__acts">
        {rewatch.slice(0, 2).map(({ url, at, number }) => (
          <a key={url} className="btn btn--block" href={url}>
            {t("Watch again from {time} in lesson {number}", { time: clock(at ?? 0), number })}
          </a>
        ))}
        <a className="btn btn--primary btn--block" href="/me/enrollments">
          {t("Continue a course")}
        </a>
      </div>
    </section>
  );
}

function Nothing({ practice }: { practice: PracticeProps }) {
  return (
    <section className="panel empty" aria-labelledby="none">
      <svg
        className="empty__art"
        viewBox="0 0 144 72"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden="true"
      >
        <rect x="44" y="18" width="56" height="38" rx="3" />
        <path d="M40 24v38h52M36 30v38h52" strokeDasharray="3 4" />
        <path d="M64 36l6 7 12-13" />
      </svg>
      <h2 className="h4" id="none">
        {practice.done_today > 0 ? t("Done for today") : t("Nothing to practice today")}
      </h2>
      <p>
        {practice.total > 0 && tomorrow(practice)}{" "}
        {t("Questions you miss in a quiz appear here once the quiz shows its answers.")}
      </p>
      <div className="row">
        <a className="btn" href="/me/enrollments">
          {t("Continue a course")}
        </a>
        <a className="btn btn--quiet" href="/me/practice/cards">
          {t("Add a flash card")}
        </a>
      </div>
    </section>
  );
}

function tomorrow({ tomorrow: count, next_due: next }: PracticeProps): string {
  if (count > 0)
    return tn("Tomorrow {count} card is due.", "Tomorrow {count} cards are due.", count);
  if (next) return t("The next card returns on {day}.", { day: longDate(next) });
  return "";
}

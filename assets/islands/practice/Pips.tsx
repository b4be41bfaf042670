import { t } from "../../shared/i18n";
import { countOf, type Session } from "./session";

const MOST = 40; // more would be too narrow to see

/** How far the visit is: a mark for each card. */
export function Pips({ session, isOver }: { session: Session; isOver: boolean }) {
  const { done } = session;
  const total = countOf(session);
  const place = Math.min(done.length + (isOver ? 0 : 1), total);
  const shown = Math.min(total, MOST);
  const first = Math.max(0, Math.min(done.length - MOST / 2, total - shown));
  return (
    <div className="drill__bar">
      <span
        className="drill__pips"
        role="img"
        aria-label={t("Card {place} of {total}, {count} remembered", {
          place,
          total,
          count: done.filter(Boolean).length,
        })}
      >
        {Array.from({ length: shown }, (_, index) => first + index).map((index) => (
          <i key={index} className={lookOf(done, index, isOver)} />
        ))}
      </span>
      <span className="small faint num" aria-hidden="true">
        {t("{place} of {total}", { place, total })}
      </span>
    </div>
  );
}

function lookOf(done: readonly boolean[], index: number, isOver: boolean): string | undefined {
  if (index < done.length) return done[index] ? "ok" : "no";
  return index === done.length && !isOver ? "now" : undefined;
}

import { type CSSProperties, useId, useState } from "react";

import { askOnce, hasAsked } from "../../offline/controls/persistence";
import { groupByCourse, receivedOf, sizeToCome } from "../../offline/controls/picking";
import { findLimit } from "../../offline/controls/space";
import type { Store } from "../../offline/controls/store";
import { roughSize, sizeOf } from "../../offline/controls/words";
import type { Preferences } from "../../offline/types";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { LimitDialog } from "./LimitDialog";
import type { Library } from "./useLibrary";

/** Courses with a color of their own; the rest share one. */
const COURSE_COLORS = ["var(--chart-1)", "var(--chart-3)", "var(--chart-4)", "var(--chart-2)"];
const REST_COLOR = "var(--chart-5)";

type Part = { name: string; size: number; color: string };

/** What takes room here: the largest courses, all others together, and what other accounts store. */
function findParts({ lessons, use }: Library): Part[] {
  const courses = groupByCourse(lessons)
    .map(({ course, lessons: own }) => ({ name: course.title, size: receivedOf(own) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size);
  const parts: Part[] = courses
    .slice(0, COURSE_COLORS.length)
    .map((part, index) => ({ ...part, color: COURSE_COLORS[index] ?? REST_COLOR }));
  const rest =
    courses.slice(COURSE_COLORS.length).reduce((sum, { size }) => sum + size, 0) + use.others;
  if (rest > 0)
    parts.push({
      name: use.others > 0 ? t("Other courses and accounts") : t("Other courses"),
      size: rest,
      color: REST_COLOR,
    });
  return parts;
}

type Props = {
  library: Library;
  store: Store;
  onPreferences: (preferences: Preferences) => void;
  reload: () => Promise<void>;
};

/** How much of the space for lessons is used, by course. */
export function StoragePanel({ library, store, onPreferences, reload }: Props) {
  const heading = useId();
  const [isLimiting, setLimiting] = useState(false);
  const { use, preferences, lessons } = library;
  const limit = findLimit({ use, preferences });
  const parts = findParts(library);
  const used = use.own + use.others;
  const reserved = sizeToCome(lessons);
  const percent = (size: number): number =>
    limit > 0 ? Math.min(100, Math.max(size > 0 ? 1 : 0, (100 * size) / limit)) : 0;
  const spoken = [
    t("{size} used", { size: sizeOf(used, limit) }),
    ...parts.map(({ name, size }) => `${name} ${roughSize(size)}`),
    ...(reserved > 0 ? [t("{size} reserved for downloads", { size: roughSize(reserved) })] : []),
  ].join(", ");
  return (
    <section aria-labelledby={heading}>
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id={heading}>
          {sizeOf(used, limit)}
        </h2>
        <button className="link small" type="button" onClick={() => setLimiting(true)}>
          {t("Limit")}
        </button>
      </div>
      <div className="meter">
        <span className="meter__bar" role="img" aria-label={spoken}>
          {parts.map(({ name, size, color }) => (
            <i key={name} style={{ "--v": percent(size), "--k": color } as CSSProperties} />
          ))}
          {reserved > 0 && (
            <i
              className="held"
              style={{ "--v": percent(reserved), "--k": COURSE_COLORS[0] } as CSSProperties}
            />
          )}
        </span>
        {parts.length > 0 && (
          <ul className="meter__key" aria-hidden="true">
            {parts.map(({ name, color }) => (
              <li key={name}>
                <i style={{ "--k": color } as CSSProperties} />
                {name}
              </li>
            ))}
          </ul>
        )}
        <p className="small muted">
          {reserved > 0 && t("{size} reserved for downloads.", { size: roughSize(reserved) })}{" "}
          {use.granted > 0 &&
            t("Your browser allows this site {size}.", { size: roughSize(use.granted) })}
        </p>
        {!use.isPersistent && lessons.length > 0 && <Persistence store={store} reload={reload} />}
      </div>
      {isLimiting && (
        <LimitDialog
          limit={preferences.limit}
          granted={use.granted}
          used={used}
          onSave={(next) => onPreferences({ ...preferences, limit: next })}
          onClose={() => setLimiting(false)}
        />
      )}
    </section>
  );
}

type PersistenceProps = { store: Store; reload: () => Promise<void> };

/** The browser may delete what is stored; it is asked once not to. */
function Persistence({ store, reload }: PersistenceProps) {
  const [isAsked, setAsked] = useState(hasAsked);
  const ask = async (): Promise<void> => {
    const isGranted = await askOnce(store);
    setAsked(true);
    toast(
      isGranted
        ? t("Your browser will keep these lessons.")
        : t("Your browser didn't allow it. Lessons may be deleted when space runs low."),
      { icon: isGranted ? "check" : "info" },
    );
    await reload();
  };
  return (
    <div className="stack gap-2">
      <p className="small muted">
        {t("Your browser may delete these lessons when the device runs low on space.")}
      </p>
      {!isAsked && (
        <button className="btn btn--sm" type="button" onClick={() => void ask()}>
          {t("Ask the browser to keep them")}
        </button>
      )}
    </div>
  );
}

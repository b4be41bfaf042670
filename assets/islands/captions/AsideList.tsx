import { t, tn } from "../../shared/i18n";
import type { Cue, Cues } from "./cues";
import { formatTime } from "./time";

const MAX_LISTED = 50;

/** Captions that are kept without being published: they did not fit into the video. */
export function AsideList({
  cues,
  isLocked,
  onRestore,
  onDelete,
}: {
  cues: Cues;
  isLocked: boolean;
  onRestore: (ids: ReadonlySet<string>) => void;
  onDelete: (ids: ReadonlySet<string>) => void;
}) {
  if (cues.length === 0) return null;
  const all = new Set(cues.map(({ id }) => id));
  const only = ({ id }: Cue): ReadonlySet<string> => new Set([id]);
  return (
    <details className="panel panel__body mt-4 capasides" open>
      <summary className="h5">
        {tn("{count} caption set aside", "{count} captions set aside", cues.length)}
      </summary>
      <p className="small muted mt-2">
        {t("They are kept, but not published. Put them back once they fit.")}
      </p>
      <ul className="mt-2">
        {cues.slice(0, MAX_LISTED).map((cue) => (
          <li key={cue.id} className="row row--between capaside">
            <span className="grow">
              <span className="small faint num">{formatTime(cue.begin)}</span> {cue.text}
            </span>
            {!isLocked && (
              <span className="row row--tight">
                <button
                  className="btn btn--quiet btn--sm"
                  type="button"
                  onClick={() => onRestore(only(cue))}
                >
                  {t("Put back")}
                </button>
                <button
                  className="btn btn--quiet btn--sm"
                  type="button"
                  onClick={() => onDelete(only(cue))}
                >
                  {t("Delete")}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {!isLocked && cues.length > 1 && (
        <div className="row mt-2">
          <button className="btn btn--sm" type="button" onClick={() => onRestore(all)}>
            {t("Put all back")}
          </button>
          <button className="btn btn--sm" type="button" onClick={() => onDelete(all)}>
            {t("Delete all")}
          </button>
        </div>
      )}
    </details>
  );
}

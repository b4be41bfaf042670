import { t } from "../../shared/i18n";
import { placeOf, titleOf } from "./citations";
import type { Citation } from "./types";

type Props = {
  cited: Citation | null;
  /** All citations of the same answer. */
  all: readonly Citation[];
};

/** The lesson at the cited place, with the passage marked, and what else the answer cites. */
export function SourcePane({ cited, all }: Props) {
  if (!cited)
    return (
      <div className="tutor__side">
        <div className="sec-head sec-head--fine">
          <h2 className="h5">{t("Open at")}</h2>
        </div>
        <p className="small muted mt-3">
          {t("When an answer cites a lesson, the passage appears here.")}
        </p>
      </div>
    );
  const others = all.filter(({ number }) => number !== cited.number);
  const place = placeOf(cited);
  return (
    <div className="tutor__side">
      <div className="sec-head sec-head--fine">
        <h2 className="h5">{t("Open at")}</h2>
        {cited.url && cited.can_open && (
          <a className="link small" href={cited.url}>
            {t("Go to lesson")}
          </a>
        )}
      </div>
      <p className="mt-3 strong">{titleOf(cited)}</p>
      <p className="small faint">
        {[cited.lesson ? cited.course.title : "", place].filter(Boolean).join(", ")}
      </p>
      {!cited.can_open && (
        <p className="small muted mt-2">{t("You can't open this lesson right now.")}</p>
      )}
      {cited.text && (
        <div className="excerpt mt-4">
          <p>
            <mark>{cited.text}</mark>
          </p>
        </div>
      )}
      {others.length > 0 && (
        <>
          <div className="sec-head sec-head--fine mt-7">
            <h2 className="h5">{t("Also cited")}</h2>
          </div>
          <ul className="side-list">
            {others.map((one) => (
              <li key={one.number}>
                {one.url && one.can_open ? (
                  <a href={one.url}>{titleOf(one)}</a>
                ) : (
                  <span>{titleOf(one)}</span>
                )}
                <p className="small faint">{placeOf(one)}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

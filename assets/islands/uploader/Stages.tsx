import type { CSSProperties } from "react";

import { t } from "../../shared/i18n";
import { type Job, marksOf } from "./jobs";

/** The stages from uploading to complete; a failed one is hatched. */
export function Stages({ job }: { job: Job }) {
  const names = [
    t("Uploading"),
    t("Queued"),
    t("Analyzing and thumbnails"),
    t("Audio and captions"),
    t("Finalizing"),
    t("Complete"),
  ];
  const classes = {
    done: "is-done",
    now: "is-now",
    held: "is-now is-held",
    bad: "is-bad",
    open: "",
  };
  return (
    <ol className="stages" aria-label={t("Stages")}>
      {marksOf(job).map(({ state, percent }, place) => {
        const isHere = state === "now" || state === "held";
        return (
          <li
            key={names[place]}
            className={classes[state]}
            style={{ "--v": percent } as CSSProperties}
            aria-current={isHere ? "step" : undefined}
          >
            <span>
              {names[place]}
              {isHere && percent > 0 && ` ${percent}%`}
              {state === "done" && <span className="vh">{t(", done")}</span>}
              {state === "bad" && <span className="vh">{t(", failed")}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

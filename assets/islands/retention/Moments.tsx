import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Moment, MomentKind } from "./props";

const ICONS: Record<MomentKind, "trending-up" | "trending-down" | "anchor"> = {
  spike: "trending-up",
  dip: "trending-down",
  top: "anchor",
};

function nameOf(kind: MomentKind): string {
  if (kind === "spike") return t("Spike: watched more than around it");
  if (kind === "dip") return t("Dip: skipped by many");
  return t("Top moment: hardly anyone leaves");
}

type Props = { moments: Moment[]; onPlay: (second: number) => void };

/** What stands out, as buttons that play there. */
export function Moments({ moments, onPlay }: Props) {
  return (
    <section className="mt-4" aria-labelledby="retention-moments">
      <h3 className="h5" id="retention-moments">
        {t("What stands out")}
      </h3>
      {moments.length === 0 && (
        <p className="muted mt-2">{t("Nothing: the curve falls evenly.")}</p>
      )}
      <ul className="moments mt-2">
        {moments.map((moment) => (
          <li key={`${moment.kind} ${moment.start}`}>
            <button className="btn btn--sm" type="button" onClick={() => onPlay(moment.start)}>
              <Icon name="play" />
              <span className="vh">{t("Play")} </span>
              {`${clock(moment.start)}–${clock(moment.end)}`}
            </button>
            <span className={`moments__kind moments__kind--${moment.kind}`}>
              <Icon name={ICONS[moment.kind]} />
              {nameOf(moment.kind)}
              {moment.kind !== "top" && (
                <span className="faint">
                  {t("{points} points", { points: Math.round(moment.size) })}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

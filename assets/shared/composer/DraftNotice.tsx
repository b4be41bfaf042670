import { createPortal } from "react-dom";

import type { Surface } from "../editor/surface";
import { timeOfDay } from "../format";
import { t } from "../i18n";
import type { Place } from "./place";
import { useDraft } from "./useDraft";

type Props = {
  place: Place;
  surface: Surface;
  /** The key of the draft on the server: "topic-42"; null: this device alone keeps it. */
  draftKey: string | null;
};

/** Keeps drafts of a text that is sent with a form, and says so below the text. */
export function DraftNotice({ place, surface, draftKey: key }: Props) {
  const draft = useDraft(place, surface, key);
  return createPortal(
    <>
      {draft.other && (
        <p className="row row--tight small">
          <span>{t("There is a draft from {time}.", { time: timeOfDay(draft.other.at) })}</span>
          <button type="button" className="btn btn--quiet btn--sm" onClick={draft.restore}>
            {t("Use the draft")}
          </button>
        </p>
      )}
      {draft.keptAt !== null && (
        <p className="row row--tight small faint">
          <span>
            {draft.isRestored
              ? t("Draft of {time} restored", { time: timeOfDay(draft.keptAt) })
              : key === null
                ? t("On this device since {time}, not saved yet", { time: timeOfDay(draft.keptAt) })
                : t("Draft saved {time}", { time: timeOfDay(draft.keptAt) })}
          </span>
          <button type="button" className="btn btn--quiet btn--sm" onClick={draft.discard}>
            {t("Discard")}
          </button>
        </p>
      )}
    </>,
    place.status,
  );
}

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Sound } from "./api";
import { type Cue, type Cues, newCue } from "./cues";
import type { CaptionView } from "./useCaptionView";
import type { Models } from "./useModels";

/** The ways to begin captions in a language that has none. */
export function EmptyCaptions({
  view,
  sound,
  secondName,
  models,
  canTranscribe,
  isLocked,
  onAdd,
  onTake,
}: {
  view: CaptionView;
  sound: Sound | null;
  secondName: string;
  models: Models;
  canTranscribe: boolean;
  isLocked: boolean;
  /** Write the first caption. */
  onAdd: () => void;
  /** Take cues without texts. */
  onTake: (cues: Cues) => void;
}) {
  const { transcription } = models;
  return (
    <div className="capempty mt-4 stack gap-3">
      <p className="muted">{t("No captions in this language yet.")}</p>
      {!isLocked && (
        <div className="row">
          <button className="btn btn--sm" type="button" onClick={onAdd}>
            <Icon name="plus" />
            {t("Write the first caption")}
          </button>
          {canTranscribe && (
            <button
              className="btn btn--sm"
              type="button"
              disabled={transcription.work !== null || transcription.isStarting}
              onClick={models.transcribe}
            >
              <Icon name="captions" />
              {t("Write them automatically")}
            </button>
          )}
          {sound && sound.cues.length > 0 && (
            <button
              className="btn btn--sm"
              type="button"
              onClick={() =>
                onTake(sound.cues.map(([begin = 0, end = 0]): Cue => newCue(begin, end)))
              }
            >
              <Icon name="split" />
              {t("Cut at the pauses of the speech")}
            </button>
          )}
          {view.secondShown.length > 0 && (
            <button
              className="btn btn--sm"
              type="button"
              onClick={() => onTake(view.secondShown.map(({ begin, end }) => newCue(begin, end)))}
            >
              <Icon name="copy" />
              {t("Take the times of {language}", { language: secondName })}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

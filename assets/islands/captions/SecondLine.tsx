import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { LanguageSelect } from "./Head";
import type { CaptionsProps } from "./props";
import type { Sheet } from "./sheet";
import type { CaptionView } from "./useCaptionView";
import type { Models } from "./useModels";

/** Which language stands beside the first, how much of it is translated, and the way back to what is published. */
export function SecondLine({
  props,
  sheet,
  second,
  secondLanguage,
  view,
  models,
  onSecond,
  onDiscard,
}: {
  props: CaptionsProps;
  sheet: Sheet;
  second: Sheet | null;
  secondLanguage: string;
  view: CaptionView;
  models: Models;
  onSecond: (tag: string) => void;
  onDiscard: () => void;
}) {
  const { shown, state, counts } = view;
  const { translation } = models;
  return (
    <div className="capsecond mt-4">
      <span className="small faint capsecond__first">
        {t("{language}, original", { language: sheet.name })}
      </span>
      <span className="row row--tight">
        <label className="small faint" htmlFor="captions-second">
          {t("Second language")}
        </label>
        <LanguageSelect
          id="captions-second"
          languages={props.languages}
          value={secondLanguage}
          without={sheet.language}
          none={t("Off")}
          onChoose={onSecond}
        />
        {second && shown.length > 0 && (
          <span className="small faint num">
            {t("{count} of {total}", {
              count: shown.length - counts.untranslated,
              total: shown.length,
            })}
          </span>
        )}
      </span>
      <span className="row row--tight capsecond__acts">
        {second && props.can_translate && !props.is_locked && counts.untranslated > 0 && (
          <button
            className="btn btn--sm"
            type="button"
            disabled={translation.work !== null || translation.isStarting}
            onClick={models.translateRest}
          >
            <Icon name="languages" />
            {t("Translate the rest")}
          </button>
        )}
        {!props.is_locked && state.isChanged && state.published !== "" && (
          <button className="btn btn--quiet btn--sm" type="button" onClick={onDiscard}>
            {t("Discard changes")}
          </button>
        )}
      </span>
    </div>
  );
}

import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { beginTranscription, beginTranslation } from "./api";
import * as cueLists from "./cues";
import { type Cue, shownOf } from "./cues";
import type { CaptionsProps } from "./props";
import type { Sheet } from "./sheet";
import { type Automatic, useAutomatic } from "./useAutomatic";
import type { Editing } from "./useEditing";

/** Captions that are translated at once. */
const MAX_TRANSLATED = 2_000;
/** BCP 47 for speech whose language the model did not recognize. */
const UNKNOWN_LANGUAGE = "und";

export type Models = {
  translation: Automatic;
  transcription: Automatic;
  /** Translate the captions that have no translation in the second language. */
  translateRest: () => void;
  transcribe: () => void;
  /** The sentence and the button that offer what came back while the page was closed. */
  offer: { sentence: string; button: string } | undefined;
};

type Options = {
  props: CaptionsProps;
  sheet: Sheet;
  second: Sheet | null;
  editing: Editing;
  onLanguage: (tag: string) => void;
  onReload: () => void;
};

/** Captions that a model writes down or translates, and where they go once they are there. */
export function useModels(options: Options): Models {
  const { props, sheet, second, editing, onLanguage, onReload } = options;
  const translation = useAutomatic(
    props.video,
    "translation",
    props.can_translate && !props.is_locked && second ? second.language : null,
    ({ language, originals, texts, state: how }) => {
      if (second?.language !== language) return false;
      const add = (all: cueLists.Cues) =>
        cueLists.addTranslations(sheet.state().cues, all, originals, texts);
      const { count } = add(second.state().cues);
      editing.editSecond((all) => add(all).cues);
      if (count > 0) toast(tn("{count} caption translated", "{count} captions translated", count));
      else if (how === "done") toast(t("The model has translated none of these captions"));
      return true;
    },
  );
  const transcription = useAutomatic(
    props.video,
    "speech",
    props.can_transcribe && !props.is_locked ? "" : null,
    ({ cues: heard, language: recognized, state: how }) => {
      if (how !== "done") return false;
      const language = recognized || UNKNOWN_LANGUAGE; // as the server keeps it
      if (heard.length === 0) toast(t("No speech was heard in this video"));
      else if (language !== sheet.language) onLanguage(language);
      else if (shownOf(sheet.state().cues).length === 0) onReload();
      else
        editing.edit((all) =>
          cueLists.sorted([
            ...all,
            ...heard.map(({ begin, end, text }): Cue => ({
              ...cueLists.newCue(begin, end, text),
              is_checked: false,
              state: "aside",
            })),
          ]),
        );
      return true;
    },
  );

  const back = translation.offered;
  const count =
    back && second
      ? cueLists.addTranslations(
          sheet.state().cues,
          second.state().cues,
          back.originals,
          back.texts,
        ).count
      : 0;
  return {
    translation,
    transcription,
    translateRest: () => {
      if (!second) return;
      const texts = cueLists
        .untranslated(sheet.state().cues, second.state().cues)
        .slice(0, MAX_TRANSLATED)
        .map(({ text }) => text);
      void translation.start(() =>
        beginTranslation(props.video, second.language, sheet.language, texts),
      );
    },
    transcribe: () =>
      void transcription.start(() => beginTranscription(props.video, sheet.language)),
    offer:
      second && count > 0
        ? {
            sentence: tn(
              "{count} translation to {language} came back while this page was closed.",
              "{count} translations to {language} came back while this page was closed.",
              count,
              { language: second.name },
            ),
            button: t("Add them"),
          }
        : undefined,
  };
}

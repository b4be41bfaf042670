import { toApiError } from "../../shared/api/errors";
import { useOnline } from "../../shared/hooks/useOnline";
import { t } from "../../shared/i18n";
import { describeSaving } from "../../shared/saving/describeSaving";
import type { Field } from "../../shared/saving/saveQueue";
import { Icon } from "../../shared/ui/Icon";
import { Menu } from "../../shared/ui/Menu";
import type { SheetState } from "./sheet";

type Language = { tag: string; name: string; has_captions: boolean };

type Props = {
  languages: readonly Language[];
  language: string;
  languageName: string;
  second: string;
  state: SheetState;
  /** Why a caption can't be saved; "" if all can. */
  refusal: string;
  secondState: SheetState | null;
  isLocked: boolean;
  encodings: Record<string, string>;
  isPublishing: boolean;
  onLanguage: (tag: string) => void;
  onImport: () => void;
  onExport: (form: "vtt" | "srt", encoding?: string) => void;
  onPublish: () => void;
};

/** Which language is edited, how it is saved, and what is done with all of it. */
export function Head(props: Props) {
  const { state, languageName, isLocked } = props;
  const encoding = state.sourceEncoding;
  const isForeign = encoding !== "" && encoding !== "utf-8" && encoding !== "utf-8-twice";
  return (
    <div className="row row--between caphead">
      <div className="row row--tight">
        <label className="small faint" htmlFor="captions-language">
          {t("Language")}
        </label>
        <LanguageSelect
          id="captions-language"
          languages={props.languages}
          value={props.language}
          name={languageName}
          without={props.second}
          onChoose={props.onLanguage}
        />
      </div>
      <div className="row row--tight">
        <SavingLine states={[state, props.secondState]} refusal={props.refusal} />
        {!isLocked && (
          <button className="btn btn--sm" type="button" onClick={props.onImport}>
            <Icon name="file-up" />
            {t("Import")}
          </button>
        )}
        <Menu
          label={t("Export")}
          buttonClass="btn btn--sm"
          button={
            <>
              <Icon name="download" />
              {t("Export")}
            </>
          }
          items={[
            { id: "vtt", title: t("WebVTT (.vtt)") },
            { id: "srt", title: t("SubRip (.srt)") },
            ...(isForeign
              ? [
                  {
                    id: "same",
                    title: t("SubRip in the encoding of its file ({encoding})", {
                      encoding: props.encodings[encoding] ?? encoding,
                    }),
                  },
                ]
              : []),
          ]}
          onChoose={(id) => {
            if (id === "same") props.onExport("srt", encoding);
            else props.onExport(id === "srt" ? "srt" : "vtt");
          }}
        />
        {!isLocked && (
          <button
            className="btn btn--sm btn--primary"
            type="button"
            disabled={props.isPublishing || (!state.isChanged && state.published !== "automatic")}
            onClick={props.onPublish}
          >
            <Icon name="check" />
            {t("Publish {language}", { language: languageName })}
          </button>
        )}
      </div>
    </div>
  );
}

/** How both languages are saved, in one line. */
function SavingLine({
  states,
  refusal,
}: {
  states: readonly (SheetState | null)[];
  refusal: string;
}) {
  const isOnline = useOnline();
  const all = states.filter((state) => state !== null);
  const failure = all.find((state) => state.failure !== null)?.failure ?? null;
  const { text, isProblem } = describeSaving(
    new Map(all.map((state, at) => [String(at), fieldOf(state, at === 0 ? refusal : "")])),
    {
      failure: failure === null ? null : toApiError(failure),
      delay: all.find((state) => state.delay !== null)?.delay ?? null,
      savedAt: Math.max(...all.map((state) => state.savedAt ?? 0)) || null,
    },
    isOnline,
  );
  return (
    <span className={isProblem ? "small hint--warn" : "small faint"} role="status">
      {text}
    </span>
  );
}

/** @param refusal why the first language is not accepted, with the number of the caption */
function fieldOf({ conflicts, refused, saving }: SheetState, refusal: string): Field {
  const held = conflicts.size > 0 ? "conflict" : refused.size > 0 ? "refused" : null;
  const [first] = refused.values();
  return { state: held ?? saving, problem: refusal === "" ? first?.reason : refusal } as Field;
}

/** Languages with captions first. */
export function LanguageSelect({
  id,
  languages,
  value,
  name = value,
  without,
  none,
  onChoose,
}: {
  id: string;
  languages: readonly Language[];
  value: string;
  /** Of the language that is chosen: automatic captions may be in one that isn't offered. */
  name?: string;
  without: string;
  /** The choice of no language, if there is one. */
  none?: string;
  onChoose: (tag: string) => void;
}) {
  const offered = languages.filter(({ tag }) => tag !== without || tag === value);
  const [written, others] = [
    offered.filter(({ tag, has_captions }) => has_captions || tag === value),
    offered.filter(({ tag, has_captions }) => !has_captions && tag !== value),
  ];
  const option = ({ tag, name }: Language) => (
    <option key={tag} value={tag}>
      {name}
    </option>
  );
  return (
    <select
      className="select capselect"
      id={id}
      value={value}
      onChange={({ target }) => onChoose(target.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {value !== "" && offered.every(({ tag }) => tag !== value) && (
        <option value={value}>{name}</option>
      )}
      {written.map(option)}
      {others.length > 0 && <optgroup label={t("Other languages")}>{others.map(option)}</optgroup>}
    </select>
  );
}

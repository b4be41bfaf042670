import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

import { ApiError, toApiError } from "../../shared/api/errors";
import { announce } from "../../shared/announce";
import { confirmFirst } from "../../shared/confirming";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import {
  beginTranscription,
  beginTranslation,
  chooseCover,
  discardSheet,
  fetchSound,
  publishSheet,
  type Reading,
  type Sound,
} from "./api";
import { AsideList } from "./AsideList";
import { AutomaticLine } from "./AutomaticLine";
import { Chapters } from "./Chapters";
import { CueList, type ListHandle } from "./CueList";
import { CueRow, type RowActions } from "./CueRow";
import * as cueLists from "./cues";
import { type Cue, cueAt, pairs, shownOf } from "./cues";
import { ImportDialog, ShiftDialog } from "./Dialogs";
import { Head, LanguageSelect } from "./Head";
import { actionOf, historyOf, isFind, keyHelp } from "./keys";
import type { CaptionsProps } from "./props";
import type { Sheet, SheetState } from "./sheet";
import { SoundStrip } from "./SoundStrip";
import { formatTime } from "./time";
import { FindLine, Tools } from "./Tools";
import { useAutomatic } from "./useAutomatic";
import type { ChapterList } from "./useChapters";
import { useEditing } from "./useEditing";
import type { EditedVideo } from "./video";
import { VideoPane } from "./VideoPane";
import { allWarnings, roomFor, type Warning, warningsOf } from "./warnings";

type Filter = "all" | "warnings" | "unchecked" | "untranslated";

type Props = {
  props: CaptionsProps;
  video: EditedVideo;
  chapters: ChapterList;
  sheet: Sheet;
  second: Sheet | null;
  secondLanguage: string;
  onLanguage: (tag: string) => void;
  onSecond: (tag: string) => void;
  /** Load the captions again: the server has others. */
  onReload: () => void;
};

/** Captions that are translated at once. */
const MAX_TRANSLATED = 2_000;

/** BCP 47 for speech whose language the model did not recognize. */
const UNKNOWN_LANGUAGE = "und";

const NOTHING = () => () => undefined;
const NO_STATE = () => null;
const NO_WARNINGS: readonly Warning[] = [];

export function Editor({
  props,
  video,
  chapters,
  sheet,
  second,
  secondLanguage,
  onLanguage,
  onSecond,
  onReload,
}: Props) {
  const { lesson, duration, is_locked: isLocked } = props;
  const state = useSyncExternalStore(sheet.subscribe, sheet.state);
  const secondState = useSyncExternalStore(second?.subscribe ?? NOTHING, second?.state ?? NO_STATE);
  const [current, setCurrent] = useState<string | null>(null);
  const [filter, setFilter] = useState<Filter>("all");
  const [isFinding, setFinding] = useState(false);
  const [dialog, setDialog] = useState<"" | "shift" | "import">("");
  const [isPublishing, setPublishing] = useState(false);
  const [sound, setSound] = useState<Sound | null>(null);
  const list = useRef<ListHandle | null>(null);
  const root = useRef<HTMLDivElement>(null);

  const shown = useMemo(() => shownOf(state.cues), [state.cues]);
  const aside = useMemo(() => state.cues.filter((cue) => cue.state === "aside"), [state.cues]);
  const warnings = useMemo(() => allWarnings(shown, duration), [shown, duration]);
  const secondShown = useMemo(() => shownOf(secondState?.cues ?? []), [secondState?.cues]);
  const paired = useMemo(() => pairs(shown, secondShown), [shown, secondShown]);
  const isUntranslated = (cue: Cue): boolean => !paired.get(cue.id)?.text.trim();
  /** A translation without a text has nothing to check. */
  const isUnchecked = (cue: Cue): boolean => {
    const other = paired.get(cue.id);
    return !cue.is_checked || (other?.is_checked === false && other.text.trim() !== "");
  };
  const editing = useEditing(sheet, second, (id) => paired.get(id), isLocked);
  const { edit, history } = editing;

  // The video was replaced by a shorter one.
  const late = duration > 0 ? shown.filter(({ begin }) => begin >= duration) : [];
  const putAside = (): void => {
    const ids = new Set(late.map(({ id }) => id));
    edit((all) => cueLists.setAside(all, ids));
    announce(t("Captions set aside"));
    requestAnimationFrame(() =>
      root.current?.querySelector<HTMLElement>(".capasides summary")?.focus(),
    );
  };
  const secondUnchecked = secondShown.filter(
    ({ is_checked, text }) => !is_checked && text.trim() !== "",
  ).length;
  const counts = {
    warnings: warnings.size,
    unchecked: shown.filter(isUnchecked).length,
    untranslated: second ? shown.filter(isUntranslated).length : 0,
  };
  const numbers = useMemo(() => new Map(shown.map(({ id }, at) => [id, at + 1])), [shown]);
  const listed = shown.filter(
    (cue) =>
      filter === "all" ||
      cue.id === current ||
      (filter === "warnings" && warnings.has(cue.id)) ||
      (filter === "unchecked" && isUnchecked(cue)) ||
      (filter === "untranslated" && isUntranslated(cue)),
  );
  const currentCue = shown.find(({ id }) => id === current);

  useEffect(() => {
    let isOver = false;
    if (props.has_audio)
      fetchSound(props.video)
        .then((found) => {
          if (!isOver) setSound(found);
        })
        .catch(() => undefined); // captions can be edited without it
    return () => {
      isOver = true;
    };
  }, [props.video, props.has_audio]);

  // While it plays and nobody types, the list follows.
  useEffect(() => {
    let last: string | undefined;
    return video.subscribe(() => {
      const { isPlaying, time } = video.state();
      if (!isPlaying) return;
      const id = cueAt(shown, time)?.id;
      if (id === undefined || id === last) return;
      last = id;
      if (root.current?.querySelector(".cues")?.contains(document.activeElement)) return;
      setCurrent(id);
      list.current?.show(id);
    });
  }, [video, shown]);

  const translation = useAutomatic(
    props.video,
    "translation",
    props.can_translate && !isLocked && second ? second.language : null,
    ({ language, originals, texts, state: how }) => {
      if (second?.language !== language) return false;
      const { count } = cueLists.addTranslations(
        sheet.state().cues,
        second.state().cues,
        originals,
        texts,
      );
      editing.editSecond(
        (all) => cueLists.addTranslations(sheet.state().cues, all, originals, texts).cues,
      );
      if (count > 0) toast(tn("{count} caption translated", "{count} captions translated", count));
      else if (how === "done") toast(t("The model has translated none of these captions"));
      return true;
    },
  );
  const translateRest = (): void => {
    if (!second) return;
    const texts = cueLists
      .untranslated(sheet.state().cues, second.state().cues)
      .slice(0, MAX_TRANSLATED)
      .map(({ text }) => text);
    void translation.start(() =>
      beginTranslation(props.video, second.language, sheet.language, texts),
    );
  };
  const transcription = useAutomatic(
    props.video,
    "speech",
    props.can_transcribe && !isLocked ? "" : null,
    ({ cues: heard, language: recognized, state: how }) => {
      if (how !== "done") return false;
      const language = recognized || UNKNOWN_LANGUAGE; // as the server keeps it
      if (heard.length === 0) toast(t("No speech was heard in this video"));
      else if (language !== sheet.language) onLanguage(language);
      else if (shownOf(sheet.state().cues).length === 0) onReload();
      else
        edit((all) =>
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
  const backCount =
    back && second
      ? cueLists.addTranslations(state.cues, secondState?.cues ?? [], back.originals, back.texts)
          .count
      : 0;
  const offer =
    second && backCount > 0
      ? {
          sentence: tn(
            "{count} translation to {language} came back while this page was closed.",
            "{count} translations to {language} came back while this page was closed.",
            backCount,
            { language: second.name },
          ),
          button: t("Add them"),
        }
      : undefined;

  const fieldOf = (id: string, kind: string): HTMLElement | null =>
    document.getElementById(`${kind}-${id}`);
  /** Show a cue, and put the caret into the same field that had it. @param caret its place in the text */
  const goTo = useCallback((id: string, kind = "", caret?: number) => {
    setCurrent(id);
    list.current?.show(id);
    const at = kind || /^(begin|end|text|second)-/.exec(document.activeElement?.id ?? "")?.[1];
    // The row may only be drawn now.
    requestAnimationFrame(() => {
      list.current?.show(id);
      requestAnimationFrame(() => {
        const field = fieldOf(id, at ?? "text");
        field?.focus({ preventScroll: true });
        if (caret !== undefined && field instanceof HTMLTextAreaElement)
          field.setSelectionRange(caret, caret);
      });
    });
  }, []);

  const caretIn = (id: string): number => {
    const field = fieldOf(id, "text");
    return field instanceof HTMLTextAreaElement ? field.selectionStart : 0;
  };
  const splitAt = (id: string): void => {
    const cue = shown.find((one) => one.id === id);
    if (!cue) return;
    const caret = caretIn(id);
    const isMiddle = caret > 0 && caret < cue.text.length;
    const byTime = video.time > cue.begin && video.time < cue.end ? video.time : undefined;
    // Without a caret inside the text, the text is divided where the time divides the cue.
    const share = byTime === undefined ? 0.5 : (byTime - cue.begin) / (cue.end - cue.begin);
    const place = isMiddle ? caret : wordBreak(cue.text, share);
    editing.editWithPairs(
      [id],
      (all) => cueLists.split(all, id, place, isMiddle ? undefined : byTime),
      (all, [pair], now) => {
        // The translation is divided at the same second.
        const middle = now.find((one) => one.id === id)?.end;
        if (!pair || middle === undefined || middle === cue.end) return all;
        const part = (middle - cue.begin) / (cue.end - cue.begin);
        return cueLists.split(all, pair.id, wordBreak(pair.text, part), middle);
      },
    );
    // As after Enter in a text, the caret stands at the beginning of the second part.
    const parts = shownOf(sheet.state().cues);
    const second = parts[parts.findIndex((one) => one.id === id) + 1];
    if (parts.length === shown.length || !second) {
      toast(t("This caption is too short to be split"));
      return;
    }
    goTo(second.id, "text", 0);
    announce(t("Caption split"));
  };
  const merge = (id: string): void => {
    const at = shown.findIndex((one) => one.id === id);
    const [cue, next] = [shown[at], shown[at + 1]];
    if (!cue || !next) {
      toast(t("There is no caption after this one"));
      return;
    }
    editing.editWithPairs(
      [id, next.id],
      (all) => cueLists.mergeWithNext(all, id),
      (all, [pair, other]) => (pair && other ? cueLists.mergeWithNext(all, pair.id) : all),
    );
    // The field that had the focus may be gone. The caret stands at the seam.
    goTo(id, "text", cue.text.trim() === "" ? 0 : cue.text.length);
    announce(t("Captions merged"));
  };
  const addCue = (): void => {
    if (isLocked) return;
    const added = cueLists.add(sheet.state().cues, current, video.time);
    edit(() => added.cues);
    goTo(added.cue.id, "text");
  };
  const removeCue = (id: string): void => {
    const at = listed.findIndex((cue) => cue.id === id);
    const next = listed[at + 1] ?? listed[at - 1];
    editing.editWithPairs(
      [id],
      (all) => cueLists.remove(all, id),
      (all, [pair]) => (pair ? cueLists.remove(all, pair.id) : all),
    );
    announce(t("Caption deleted"));
    if (next) goTo(next.id);
    else {
      setCurrent(null);
      requestAnimationFrame(() =>
        root.current?.querySelector<HTMLElement>(".capempty button")?.focus(),
      );
    }
  };
  const step = (by: number): void => {
    const at = listed.findIndex(({ id }) => id === current);
    const next = listed[at === -1 ? 0 : at + by];
    if (next) goTo(next.id);
  };
  const nextWarning = (): void => {
    const at = shown.findIndex(({ id }) => id === current);
    const order = [...shown.slice(at + 1), ...shown.slice(0, at + 1)];
    const found = order.find(({ id }) => warnings.has(id));
    if (found) goTo(found.id);
    else toast(t("No caption has a warning"));
  };
  const checkNext = (): void => {
    const at = shown.findIndex(({ id }) => id === current);
    const order = [...shown.slice(at + 1), ...shown.slice(0, at + 1)];
    const found = order.find((cue) => isUnchecked(cue));
    if (found) goTo(found.id, "second");
  };
  const replay = (): void => {
    const cue = currentCue ?? cueAt(shown, video.time);
    if (cue) void video.play(cue.begin, cue.end);
  };
  const cover = async (second: number): Promise<void> => {
    try {
      await chooseCover(props.video, second);
      toast(t("The frame at {time} is the cover now", { time: formatTime(second) }));
    } catch (reason) {
      toast(toApiError(reason).message, { icon: "triangle-alert" });
    }
  };
  const undo = (): void => {
    const id = editing.undo();
    if (id !== null && sheet.state().cues.some((cue) => cue.id === id)) {
      if (root.current?.querySelector(".cues")?.contains(document.activeElement)) goTo(id);
      else {
        setCurrent(id);
        list.current?.show(id);
      }
    }
  };

  const here = useRef({ splitAt, merge, edit, shown, duration });
  here.current = { splitAt, merge, edit, shown, duration };
  const { setTime, translate, check } = editing;
  const actions = useMemo<RowActions>(
    () => ({
      onFocus: setCurrent,
      onText: (id, text) =>
        here.current.edit((all) => cueLists.change(all, id, { text }), `${id} text`),
      onTranslate: (id, text) => {
        const cue = here.current.shown.find((one) => one.id === id);
        if (cue) translate(cue, text);
      },
      onTime: setTime,
      onSplit: (id) => here.current.splitAt(id),
      onMerge: (id) => here.current.merge(id),
      onRoom: (id) => {
        const room = roomFor(here.current.shown, id, here.current.duration);
        if (room)
          here.current.edit((all) =>
            cueLists.change(all, id, { begin: room.begin, end: room.end }),
          );
      },
      onCheck: check,
      onResolve: (id, choice) => sheet.resolve(id, choice),
    }),
    [sheet, setTime, translate, check],
  );

  const onKeyDown = (event: KeyboardEvent): void => {
    const back = historyOf(event.nativeEvent);
    if (back && root.current?.querySelector(".capcues")?.contains(event.target as Node)) {
      if ((event.target as HTMLElement).closest(".findline")) return;
      event.preventDefault();
      if (back === "undo") undo();
      else editing.redo();
      return;
    }
    if (isFind(event.nativeEvent) && !isLocked) {
      event.preventDefault();
      setFinding(true);
      requestAnimationFrame(() => {
        const field = document.getElementById("captions-find");
        if (field instanceof HTMLInputElement) field.select();
      });
      return;
    }
    if (event.key === "Escape" && (event.target as HTMLElement).closest(".findline")) {
      setFinding(false);
      if (current !== null) goTo(current, "text");
      return;
    }
    const action = actionOf(event.nativeEvent);
    if (!action) return;
    event.preventDefault();
    const { time } = video;
    switch (action) {
      case "toggle":
        return video.toggle();
      case "replay":
        return replay();
      case "back":
        return video.seek(time - 1);
      case "forth":
        return video.seek(time + 1);
      case "next":
        return step(1);
      case "previous":
        return step(-1);
      case "warning":
        return nextWarning();
      case "add":
        return addCue();
      case "shift":
        return isLocked ? undefined : setDialog("shift");
      default:
    }
    if (current === null) return;
    if (action === "begin" || action === "end") setTime(current, action, time);
    else if (action === "split") splitAt(current);
    else if (action === "merge") merge(current);
    else if (action === "delete") removeCue(current);
    else actions.onCheck(current);
  };

  const publish = async (one: Sheet, replaces = false): Promise<void> => {
    setPublishing(true);
    try {
      await one.flush();
      if (one.isUnsaved) {
        toast(t("Not published: some changes aren't saved yet"));
        return;
      }
      await one.replaceBy(() => publishSheet(lesson, one.language, one.revision, replaces));
      history.forget(one);
      toast(t("{language} captions are published. Learners see them now.", { language: one.name }));
    } catch (reason) {
      const isReplaced = reason instanceof ApiError && reason.is("CAPTIONS_REPLACED");
      // What others have written is shown, so that it is seen before it is published.
      if (reason instanceof ApiError && reason.is("CAPTIONS_CHANGED"))
        await one.catchUp().catch(() => undefined);
      if (isReplaced && !replaces) {
        const isSure = await confirmFirst({
          title: t("Other captions were published meanwhile"),
          text: t("Publishing yours replaces them."),
          confirm: t("Publish mine"),
          keep: t("Cancel"),
        });
        if (isSure) await publish(one, true);
      } else toast(reason instanceof Error ? reason.message : t("Something went wrong"));
    } finally {
      setPublishing(false);
    }
  };
  const discard = async (): Promise<void> => {
    const isSure = await confirmFirst({
      title: t("Go back to the published captions?"),
      text: t("What was changed since, by you and others, is lost."),
      confirm: t("Discard changes"),
      keep: t("Keep editing"),
    });
    if (!isSure) return;
    try {
      await sheet.replaceBy(() => discardSheet(lesson, sheet.language), true);
      history.forget(sheet);
    } catch (reason) {
      toast(toApiError(reason).message, { icon: "triangle-alert" });
    }
  };
  const exportAs = async (form: "vtt" | "srt", encoding = "utf-8"): Promise<void> => {
    await sheet.flush();
    const address = props.export.replace("LANGUAGE", encodeURIComponent(sheet.language));
    location.assign(`${address}?format=${form}&encoding=${encoding}`);
  };
  const take = (reading: Reading, isAdded: boolean): void => {
    sheet.setSourceEncoding(reading.encoding);
    edit((all) =>
      cueLists.sorted([...all.filter((cue) => isAdded || cue.state === "aside"), ...reading.cues]),
    );
    setDialog("");
    toast(tn("{count} caption imported", "{count} captions imported", reading.cues.length));
  };

  const renderRow = (index: number) => {
    const cue = listed[index];
    if (!cue) return null;
    const number = numbers.get(cue.id) ?? 0;
    const found = warnings.get(cue.id);
    const isFast = found?.some(({ kind }) => kind === "fast") ?? false;
    const other = paired.get(cue.id);
    return (
      <CueRow
        cue={cue}
        number={number}
        isCurrent={cue.id === current}
        isLast={number === shown.length}
        isLocked={isLocked}
        warnings={found}
        room={isFast ? (roomFor(shown, cue.id, duration)?.added ?? 0) : 0}
        language={sheet.language}
        languageName={sheet.name}
        second={
          second
            ? {
                cue: other,
                language: second.language,
                name: second.name,
                warnings: other ? warningsOf(other, Infinity, duration) : NO_WARNINGS,
                refusal: (other && secondState?.refused.get(other.id)?.reason) ?? "",
              }
            : null
        }
        conflict={state.conflicts.get(cue.id)}
        refusal={state.refused.get(cue.id)?.reason ?? ""}
        actions={actions}
      />
    );
  };

  const filters: [Filter, string, number][] = [
    ["all", t("All"), -1],
    ["warnings", t("Warnings"), counts.warnings],
    ["unchecked", t("Unchecked"), counts.unchecked],
    ...(second ? ([["untranslated", t("Not translated"), counts.untranslated]] as const) : []),
  ].map(([key, label, count]) => [key as Filter, label as string, count as number]);

  return (
    // The keys work wherever the focus is in the editor; all they do has a button.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={root} onKeyDown={onKeyDown}>
      <Head
        languages={props.languages}
        language={sheet.language}
        languageName={sheet.name}
        second={secondLanguage}
        state={state}
        refusal={refusalOf(state, numbers)}
        secondState={secondState}
        isLocked={isLocked}
        encodings={props.encodings}
        isPublishing={isPublishing}
        onLanguage={onLanguage}
        onImport={() => setDialog("import")}
        onExport={(form, encoding) => void exportAs(form, encoding)}
        onPublish={() => void publish(sheet)}
      />
      {isLocked && (
        <p className="hint mt-3">
          <Icon name="info" />
          <span>{t("The course can't be edited at the moment: captions can only be read.")}</span>
        </p>
      )}
      <div className="capgrid mt-5">
        <div className="capgrid__left">
          <VideoPane
            video={video}
            shown={shown}
            language={sheet.language}
            poster={props.poster}
            duration={duration}
            onReplay={replay}
            onCover={props.are_chapters_locked || !props.sources ? null : cover}
          />
          {sound && (
            <SoundStrip
              sound={sound}
              video={video}
              shown={shown}
              current={currentCue}
              warnings={warnings}
              isLocked={isLocked}
              onTime={setTime}
              onChoose={setCurrent}
            />
          )}
          <Chapters chapters={chapters} video={video} isLocked={props.are_chapters_locked} />
          <section className="panel panel__body mt-4 capkeys" aria-labelledby="captions-keys">
            <h2 className="h5" id="captions-keys">
              {t("Keys")}
            </h2>
            <dl className="keys keys--two mt-2">
              {keyHelp().map(([what, keys]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    <kbd>Alt</kbd>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
              <div>
                <dt>{t("Find and replace")}</dt>
                <dd>
                  <kbd>Ctrl</kbd>
                  <kbd>F</kbd>
                </dd>
              </div>
            </dl>
          </section>
        </div>
        <section className="capcues" aria-labelledby="captions-count">
          <div className="row row--between">
            <h2 className="h4" id="captions-count">
              {tn("{count} caption", "{count} captions", shown.length)}
            </h2>
            <div className="seg seg--wrap" role="group" aria-label={t("Show")}>
              {filters.map(([key, label, count]) => (
                <button
                  key={key}
                  type="button"
                  aria-pressed={filter === key}
                  onClick={() => setFilter(key)}
                >
                  {label}
                  {count >= 0 && <span className="num">{count}</span>}
                </button>
              ))}
            </div>
          </div>
          <Tools
            isLocked={isLocked}
            canUndo={history.canUndo}
            canRedo={history.canRedo}
            hasCurrent={currentCue !== undefined}
            isFinding={isFinding}
            onUndo={undo}
            onRedo={() => editing.redo()}
            onSplit={() => current !== null && splitAt(current)}
            onMerge={() => current !== null && merge(current)}
            onAdd={addCue}
            onDelete={() => current !== null && removeCue(current)}
            onShift={() => setDialog("shift")}
            onFind={() => setFinding(!isFinding)}
          />
          {isFinding && (
            <FindLine
              cues={state.cues}
              current={current}
              onReplace={(find, replacement, isExact) => {
                const count = cueLists.countOf(state.cues, find, isExact);
                edit((all) => cueLists.replaceAll(all, find, replacement, isExact));
                toast(tn("{count} place replaced", "{count} places replaced", count));
              }}
              onShow={(id) => {
                setCurrent(id);
                list.current?.show(id);
              }}
            />
          )}
          {state.isReplaced && (
            <div className="notice notice--warning mt-3">
              <Icon name="triangle-alert" className="notice__icon" />
              <p className="notice__body">
                {t("Other captions were published since these were begun.")}
              </p>
            </div>
          )}
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
              {second && props.can_translate && !isLocked && counts.untranslated > 0 && (
                <button
                  className="btn btn--sm"
                  type="button"
                  disabled={translation.work !== null || translation.isStarting}
                  onClick={translateRest}
                >
                  <Icon name="languages" />
                  {t("Translate the rest")}
                </button>
              )}
              {!isLocked && state.isChanged && state.published !== "" && (
                <button
                  className="btn btn--quiet btn--sm"
                  type="button"
                  onClick={() => void discard()}
                >
                  {t("Discard changes")}
                </button>
              )}
            </span>
          </div>
          {late.length > 0 && !isLocked && (
            <div className="notice notice--warning mt-3">
              <Icon name="triangle-alert" className="notice__icon" />
              <p className="notice__body">
                {tn(
                  "{count} caption begins after the end of the video.",
                  "{count} captions begin after the end of the video.",
                  late.length,
                )}
              </p>
              <div className="notice__acts">
                <button className="btn btn--sm" type="button" onClick={putAside}>
                  {tn("Set it aside", "Set them aside", late.length)}
                </button>
              </div>
            </div>
          )}
          <AutomaticLine
            automatic={translation}
            label={t("Translating to {language}", { language: second?.name ?? "" })}
            offer={offer}
          />
          <AutomaticLine automatic={transcription} label={t("Writing down what is said")} />
          {second && secondUnchecked > 0 && !isLocked && (
            <div className="notice notice--info mt-3">
              <Icon name="languages" className="notice__icon" />
              <p className="notice__title">
                {tn(
                  "{count} {language} caption was written automatically",
                  "{count} {language} captions were written automatically",
                  secondUnchecked,
                  { language: second.name },
                )}
              </p>
              <p className="notice__body">
                {t("Learners see nothing of it before you publish {language}.", {
                  language: second.name,
                })}
              </p>
              <div className="notice__acts">
                <button className="btn btn--sm" type="button" onClick={checkNext}>
                  {t("Check the next one")}
                </button>
                <button
                  className="btn btn--sm"
                  type="button"
                  disabled={isPublishing}
                  onClick={() => void publish(second)}
                >
                  <Icon name="check" />
                  {t("Publish {language}", { language: second.name })}
                </button>
              </div>
            </div>
          )}
          {shown.length === 0 ? (
            <div className="capempty mt-4 stack gap-3">
              <p className="muted">{t("No captions in this language yet.")}</p>
              {!isLocked && (
                <div className="row">
                  <button className="btn btn--sm" type="button" onClick={addCue}>
                    <Icon name="plus" />
                    {t("Write the first caption")}
                  </button>
                  {props.can_transcribe && (
                    <button
                      className="btn btn--sm"
                      type="button"
                      disabled={transcription.work !== null || transcription.isStarting}
                      onClick={() =>
                        void transcription.start(() =>
                          beginTranscription(props.video, sheet.language),
                        )
                      }
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
                        edit((all) => [
                          ...all,
                          ...sound.cues.map(([begin = 0, end = 0]) => cueLists.newCue(begin, end)),
                        ])
                      }
                    >
                      <Icon name="split" />
                      {t("Cut at the pauses of the speech")}
                    </button>
                  )}
                  {secondShown.length > 0 && (
                    <button
                      className="btn btn--sm"
                      type="button"
                      onClick={() =>
                        edit((all) => [
                          ...all,
                          ...secondShown.map(({ begin, end }) => cueLists.newCue(begin, end)),
                        ])
                      }
                    >
                      <Icon name="copy" />
                      {t("Take the times of {language}", { language: second?.name ?? "" })}
                    </button>
                  )}
                </div>
              )}
            </div>
          ) : (
            <>
              <CueList
                cues={listed}
                current={current}
                label={t("Captions, {language}", { language: sheet.name })}
                handle={list}
                renderRow={renderRow}
              />
              <div className="row row--between mt-3">
                <p className="small faint num">
                  {filter === "all"
                    ? tn("{count} caption", "{count} captions", shown.length)
                    : t("{count} of {total} captions", {
                        count: listed.length,
                        total: shown.length,
                      })}
                </p>
                <button
                  className="btn btn--sm"
                  type="button"
                  disabled={counts.warnings === 0}
                  onClick={nextWarning}
                >
                  <Icon name="arrow-down" />
                  {t("Next warning")}
                </button>
              </div>
            </>
          )}
          <AsideList
            cues={aside}
            isLocked={isLocked}
            onRestore={(ids) => edit((all) => cueLists.setAside(all, ids, false))}
            onDelete={(ids) => edit((all) => all.filter(({ id }) => !ids.has(id)))}
          />
        </section>
      </div>
      {dialog === "shift" && (
        <ShiftDialog
          cues={state.cues}
          current={current}
          duration={duration}
          onClose={() => setDialog("")}
          onShift={(seconds, from) => {
            edit((all) => cueLists.shift(all, seconds, from, duration));
            setDialog("");
          }}
        />
      )}
      {dialog === "import" && (
        <ImportDialog
          lesson={lesson}
          language={sheet.language}
          languageName={sheet.name}
          encodings={props.encodings}
          hasCues={shown.length > 0}
          onTake={take}
          onClose={() => setDialog("")}
        />
      )}
    </div>
  );
}

/** The first caption that the server does not accept, with the reason; "" if there is none. */
function refusalOf({ refused }: SheetState, numbers: ReadonlyMap<string, number>): string {
  const [first] = refused;
  if (!first) return "";
  const [id, { reason }] = first;
  const number = numbers.get(id);
  return number === undefined ? reason : t("caption {number}: {reason}", { number, reason });
}

/** The place between two words that is next to a share of a text. */
function wordBreak(text: string, share: number): number {
  const wanted = Math.round(text.length * share);
  let best = wanted;
  let least = Infinity;
  for (const { index } of text.matchAll(/\s+/g)) {
    if (Math.abs(index - wanted) < least) [best, least] = [index, Math.abs(index - wanted)];
  }
  return best;
}

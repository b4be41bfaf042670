import { useMemo, useRef, useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import { chooseCover } from "./api";
import { AsideList } from "./AsideList";
import { AutomaticLine } from "./AutomaticLine";
import { Chapters } from "./Chapters";
import { CueList, type ListHandle } from "./CueList";
import { CueRow } from "./CueRow";
import * as cueLists from "./cues";
import { EmptyCaptions } from "./EmptyCaptions";
import { Head } from "./Head";
import { KeyHelp } from "./KeyHelp";
import { LateNotice, LockLine, ReplacedNotice, UncheckedNotice } from "./Notices";
import type { CaptionsProps } from "./props";
import type { ImportDialog as Importing } from "./ImportDialog";
import type { Reading } from "./reading";
import { SecondLine } from "./SecondLine";
import type { Sheet, SheetState } from "./sheet";
import { ShiftDialog } from "./ShiftDialog";
import { SoundStrip } from "./SoundStrip";
import { formatTime } from "./time";
import { FilterButtons, FindLine, Tools } from "./Tools";
import { Undecided } from "./Undecided";
import { useCaptionKeys } from "./useCaptionKeys";
import { type Filter, useCaptionView } from "./useCaptionView";
import type { ChapterList } from "./useChapters";
import { useCueActions } from "./useCueActions";
import { useEditing } from "./useEditing";
import { useModels } from "./useModels";
import { usePublishing } from "./usePublishing";
import { useFollowing, useSound } from "./useVideoLinks";
import type { PlayedVideo } from "../../shared/video/playedVideo";
import { VideoPane } from "./VideoPane";
import { roomFor } from "./warnings";

type Props = {
  props: CaptionsProps;
  video: PlayedVideo;
  chapters: ChapterList;
  sheet: Sheet;
  second: Sheet | null;
  secondLanguage: string;
  onLanguage: (tag: string) => void;
  onSecond: (tag: string) => void;
  /** Load the captions again: the server has others. */
  onReload: () => void;
};

/** Captions in one or two languages beside the playing video. */
export function Editor(options: Props) {
  const { props, video, chapters, sheet, second, secondLanguage, onLanguage, onSecond } = options;
  const { lesson, duration, is_locked: isLocked } = props;
  const [current, setCurrent] = useState<string | null>(null);
  const [filter, setFilter] = useState<Filter>("all");
  const [isFinding, setFinding] = useState(false);
  const [isShifting, setShifting] = useState(false);
  /** While it is open: it is fetched when somebody asks for it. */
  const [ImportDialog, setImportDialog] = useState<typeof Importing | null>(null);
  const list = useRef<ListHandle | null>(null);
  const root = useRef<HTMLDivElement>(null);

  const view = useCaptionView(sheet, second, { filter, current, duration });
  const { state, secondState, shown, listed, warnings, paired, counts } = view;
  const editing = useEditing(sheet, second, (id) => paired.get(id), isLocked);
  const { edit, history, setTime } = editing;
  const actions = useCueActions({
    sheet,
    second,
    view,
    editing,
    video,
    duration,
    isLocked,
    current,
    setCurrent,
    list,
    root,
  });
  const publishing = usePublishing(lesson, sheet, history, props.export);
  const models = useModels({ ...options, editing });
  const sound = useSound(props.video, props.has_audio);
  useFollowing(video, shown, root, actions.show);
  const onKeyDown = useCaptionKeys({
    root,
    current,
    isLocked,
    video,
    actions,
    editing,
    setFinding,
    onShift: () => setShifting(true),
  });

  const cover = async (at: number): Promise<void> => {
    try {
      await chooseCover(props.video, at);
      toast(t("The frame at {time} is the cover now", { time: formatTime(at) }));
    } catch (reason) {
      toast(toApiError(reason).message, { icon: "triangle-alert" });
    }
  };
  const openImport = async (): Promise<void> => {
    try {
      const found = await import("./ImportDialog");
      setImportDialog(() => found.ImportDialog);
    } catch {
      toast(t("The dialog could not be loaded. Check your connection, then try again."));
    }
  };
  const take = (reading: Reading, isAdded: boolean): void => {
    sheet.setSourceEncoding(reading.encoding);
    edit((all) =>
      cueLists.sorted([...all.filter((cue) => isAdded || cue.state === "aside"), ...reading.cues]),
    );
    setImportDialog(null);
    toast(tn("{count} caption imported", "{count} captions imported", reading.cues.length));
  };

  const secondTag = second?.language ?? "";
  const secondName = second?.name ?? "";
  const translation = useMemo(
    () => (secondTag === "" ? null : { language: secondTag, name: secondName }),
    [secondTag, secondName],
  );
  const renderRow = (index: number) => {
    const cue = listed[index];
    if (!cue) return null;
    const number = view.numbers.get(cue.id) ?? 0;
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
        duration={duration}
        warnings={found}
        room={isFast ? (roomFor(shown, cue.id, duration)?.added ?? 0) : 0}
        language={sheet.language}
        languageName={sheet.name}
        second={translation}
        other={other}
        conflict={state.conflicts.get(cue.id)}
        refusal={state.refused.get(cue.id)?.reason ?? ""}
        otherConflict={other && secondState?.conflicts.get(other.id)}
        otherRefusal={(other && secondState?.refused.get(other.id)?.reason) ?? ""}
        actions={actions.rows}
      />
    );
  };

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
        refusal={refusalOf(state, view.numbers)}
        secondState={secondState}
        isLocked={isLocked}
        encodings={props.encodings}
        isPublishing={publishing.isPublishing}
        onLanguage={onLanguage}
        onImport={() => void openImport()}
        onExport={(form, encoding) => void publishing.exportAs(form, encoding)}
        onPublish={() => void publishing.publish(sheet)}
      />
      {isLocked && <LockLine reason={props.lock_reason} />}
      <div className="capgrid mt-5">
        <div className="capgrid__left">
          <VideoPane
            video={video}
            shown={shown}
            language={sheet.language}
            poster={props.poster}
            duration={duration}
            onReplay={actions.replay}
            onCover={props.are_chapters_locked || !props.sources ? null : cover}
          />
          {sound && (
            <SoundStrip
              sound={sound}
              video={video}
              shown={shown}
              current={view.currentCue}
              warnings={warnings}
              isLocked={isLocked}
              onTime={setTime}
              onChoose={setCurrent}
            />
          )}
          <Chapters
            chapters={chapters}
            video={video}
            isLocked={props.are_chapters_locked}
            // What locks both is said above.
            lockReason={isLocked ? "" : props.chapters_lock_reason}
          />
          <KeyHelp />
        </div>
        <section className="capcues" aria-labelledby="captions-count">
          <div className="row row--between">
            <h2 className="h4" id="captions-count">
              {tn("{count} caption", "{count} captions", shown.length)}
            </h2>
            <FilterButtons
              filter={filter}
              counts={counts}
              hasSecond={second !== null}
              onChoose={setFilter}
            />
          </div>
          <Tools
            isLocked={isLocked}
            canUndo={history.canUndo}
            canRedo={history.canRedo}
            hasCurrent={view.currentCue !== undefined}
            isFinding={isFinding}
            onUndo={actions.undo}
            onRedo={() => editing.redo()}
            onSplit={() => current !== null && actions.split(current)}
            onMerge={() => current !== null && actions.merge(current)}
            onAdd={actions.add}
            onDelete={() => current !== null && actions.remove(current)}
            onShift={() => setShifting(true)}
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
              onShow={actions.show}
            />
          )}
          {state.isReplaced && <ReplacedNotice />}
          <SecondLine
            props={props}
            sheet={sheet}
            second={second}
            secondLanguage={secondLanguage}
            view={view}
            models={models}
            onSecond={onSecond}
            onDiscard={() => void publishing.discard()}
          />
          <Undecided view={view} actions={actions} />
          {view.late.length > 0 && !isLocked && <LateNotice view={view} actions={actions} />}
          <AutomaticLine
            automatic={models.translation}
            label={t("Translating to {language}", { language: secondName })}
            offer={models.offer}
          />
          <AutomaticLine automatic={models.transcription} label={t("Writing down what is said")} />
          {second && view.secondUnchecked > 0 && !isLocked && (
            <UncheckedNotice
              count={view.secondUnchecked}
              language={secondName}
              isPublishing={publishing.isPublishing}
              onCheck={actions.goToNextUnchecked}
              onPublish={() => void publishing.publish(second)}
            />
          )}
          {shown.length === 0 ? (
            <EmptyCaptions
              view={view}
              sound={sound}
              secondName={secondName}
              models={models}
              canTranscribe={props.can_transcribe}
              isLocked={isLocked}
              onAdd={actions.add}
              onTake={(cues) => edit((all) => [...all, ...cues])}
            />
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
                  onClick={actions.goToNextWarning}
                >
                  <Icon name="arrow-down" />
                  {t("Next warning")}
                </button>
              </div>
            </>
          )}
          <AsideList
            cues={view.aside}
            isLocked={isLocked}
            onRestore={(ids) => edit((all) => cueLists.setAside(all, ids, false))}
            onDelete={(ids) => edit((all) => all.filter(({ id }) => !ids.has(id)))}
          />
        </section>
      </div>
      {isShifting && (
        <ShiftDialog
          cues={state.cues}
          current={current}
          duration={duration}
          onClose={() => setShifting(false)}
          onShift={(seconds, from) => {
            edit((all) => cueLists.shift(all, seconds, from, duration));
            setShifting(false);
          }}
        />
      )}
      {ImportDialog && (
        <ImportDialog
          lesson={lesson}
          language={sheet.language}
          languageName={sheet.name}
          encodings={props.encodings}
          hasCues={shown.length > 0}
          onTake={take}
          onClose={() => setImportDialog(null)}
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

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { notesOf } from "../../shared/notes/ofLesson";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { Composer } from "./Composer";
import { Filters } from "./Filters";
import {
  currentKey,
  filtered,
  inOrder,
  type Kind,
  noteItems,
  type Question,
  questionItems,
  readChapters,
  readTranscript,
  withFetched,
} from "./items";
import { LoadError, Status } from "./Status";
import { Row } from "./Row";
import { handleSheetKeys } from "./sheet";
import { useVideoTime } from "./useVideoTime";

type Props = {
  lesson: string;
  has_video: boolean;
  may_write: boolean;
  notebook: string;
  questions: Question[];
};

const noNotes = { notes: [], isLoaded: true, loadError: null, status: "saved" } as const;

/** Transcript, notes, moments, chapters and questions of a lesson; without a video, its notes alone. */
export function Island({ lesson, has_video, may_write, notebook, questions }: Props) {
  const [store] = useState(() => (may_write ? notesOf(lesson) : null));
  const state = useSyncExternalStore(
    useCallback((listener) => store?.subscribe(listener) ?? (() => undefined), [store]),
    () => store?.state ?? noNotes,
  );
  const [still] = useState(() => [...readChapters(document), ...readTranscript(document)]);
  const asked = useQuestions(questions);
  const [kind, setKind] = useState<Kind | "all">("all");
  const [query, setQuery] = useState("");
  const [isFollowing, setIsFollowing] = useState(has_video);
  const time = useVideoTime(has_video);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  // The note that is being written below is not shown twice.
  const [draft, setDraft] = useState<string | null>(null);
  const all = useMemo(() => {
    const written = state.notes.filter(({ uid }) => uid !== draft);
    return inOrder([...still, ...questionItems(asked), ...noteItems(written)]);
  }, [still, asked, state.notes, draft]);
  const shown = useMemo(() => filtered(all, kind, query), [all, kind, query]);
  const current = has_video ? currentKey(shown, time) : null;

  useEffect(() => {
    const place = document.querySelector<HTMLElement>("[data-timeline]");
    const turn = (): void => {
      // On a touch screen the field would bring the keyboard, which covers the timeline.
      const isTouched = matchMedia("(pointer: coarse)").matches;
      const target = isTouched ? list.current : (field.current ?? list.current);
      target?.focus({ preventScroll: true });
    };
    if (!place) return undefined;
    if (place.dataset.wanted !== undefined) turn();
    place.addEventListener("timeline:open", turn);
    const stop = handleSheetKeys(place);
    return () => {
      place.removeEventListener("timeline:open", turn);
      stop();
    };
  }, []);
  useEffect(() => {
    const area = list.current;
    if (!isFollowing || current === null || !area) return;
    // Not while someone writes or chooses in the list.
    if (area.contains(document.activeElement) && document.activeElement !== area) return;
    const row = area.querySelector<HTMLElement>(".is-now");
    if (row) area.scrollTop = row.offsetTop - area.clientHeight / 3;
  }, [current, isFollowing]);

  return (
    <>
      <div className="panel__head">
        <h2 className="h5">{has_video ? t("Timeline") : t("My notes")}</h2>
        <span className="row row--tight">
          {store && <Status status={state.status} />}
          {has_video && (
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              aria-pressed={isFollowing}
              aria-label={t("Follow along")}
              title={t("Follow along")}
              onClick={() => setIsFollowing(!isFollowing)}
            >
              <Icon name="locate-fixed" />
            </button>
          )}
          {store && (
            <a
              className="icon-btn icon-btn--sm"
              href={notebook}
              aria-label={t("All notes of this course")}
              title={t("All notes of this course")}
            >
              <Icon name="notebook-pen" />
            </a>
          )}
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Close")}
            data-notes-close=""
          >
            <Icon name="x" />
          </button>
        </span>
      </div>
      {has_video && (
        <Filters items={all} kind={kind} onKind={setKind} query={query} onQuery={setQuery} />
      )}
      {store && state.loadError && (
        <LoadError error={state.loadError} onRetry={() => void store.load()} />
      )}
      <div
        className="player__scroll"
        ref={list}
        tabIndex={0}
        role="region"
        aria-label={has_video ? t("Timeline of the lesson") : t("Notes on this lesson")}
        data-scroll=""
      >
        {shown.length > 0 ? (
          <ol className={has_video ? "line" : "line line--plain"}>
            {shown.map((item) => (
              <Row key={item.key} item={item} isNow={item.key === current} store={store} />
            ))}
          </ol>
        ) : (
          (state.isLoaded || state.loadError) && (
            <p className="line__none muted">{emptyText(kind, query, has_video)}</p>
          )
        )}
      </div>
      {store && (
        <Composer
          store={store}
          lesson={lesson}
          hasVideo={has_video}
          field={field}
          onDraft={setDraft}
        />
      )}
    </>
  );
}

/** The questions of the page; a question asked since is added. */
function useQuestions(questions: Question[]): Question[] {
  const [asked, setAsked] = useState(() => withFetched(questions, document));
  useEffect(() => {
    const read = (): void => setAsked(withFetched(questions, document));
    document.addEventListener("study:marks", read);
    return () => document.removeEventListener("study:marks", read);
  }, [questions]);
  return asked;
}

function emptyText(kind: Kind | "all", query: string, hasVideo: boolean): string {
  if (query.trim() !== "") return t("Nothing found. Try other words.");
  if (kind === "moment") return t("Press B while you watch to mark a moment.");
  if (kind === "question") return t("No questions at a moment of this video yet.");
  if (kind === "transcript") return t("This video has no transcript.");
  if (kind === "chapter") return t("This video has no chapters.");
  return hasVideo
    ? t("Write a note below. It remembers the second of the video.")
    : t("Write a note below. Only you can see it.");
}

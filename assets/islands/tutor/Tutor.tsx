import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

import { toApiError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { onConnectionDoubt } from "../../shared/connection";
import { useOnline } from "../../shared/hooks/useOnline";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { fetchStatus } from "./api";
import { Composer } from "./Composer";
import { keepDraft, readDraft } from "./drafts";
import { ScopeSelect } from "./ScopeSelect";
import { StatusBadge } from "./StatusBadge";
import type { ChatStore, Scope } from "./store";
import { Thread } from "./Thread";
import type { Asking, Citation, CourseLink, LessonLink, Mode, TutorStatus } from "./types";

type Props = {
  store: ChatStore;
  status: TutorStatus;
  courses: readonly CourseLink[];
  /** The lesson that is asked about, and its course. */
  about: { course: CourseLink | null; lesson: LessonLink | null };
  /** Slug of the lesson beside which the tutor is open. */
  here?: string | undefined;
  hasVideo?: boolean;
  /** A new key gives the focus to the field. */
  focus: number;
  onCite?: (citation: Citation) => void;
  before?: React.ReactNode;
  after?: React.ReactNode;
};

/** What the user wrote; the buttons above the field write the other questions. */
const typed = ({ question, mode }: Asking): string => (mode === "ask" ? question : "");

/** What the badge says while the server can be reached. */
function statusShown(ofServer: string, ofChat: string, isWriting: boolean): string {
  if (isWriting) return "thinking";
  return ofServer === "online" ? ofChat : ofServer;
}

/** A chat: its head, its questions and answers, and the field for the next question. */
export function Tutor(props: Props) {
  const { store, courses, about, here, hasVideo = false, focus, onCite, before, after } = props;
  const view = useSyncExternalStore(store.subscribe, () => store.view);
  const { isLoading } = useAuth();
  const client = useQueryClient();
  const isOnline = useOnline();
  const { data: status, failureCount } = useQuery({
    queryKey: ["tutor", "status"],
    queryFn: fetchStatus,
    initialData: props.status,
    enabled: !isLoading,
    refetchInterval: ({ state }) =>
      state.fetchFailureCount > 0 || state.data?.status !== "online" ? 15_000 : false,
    staleTime: 60_000,
  });
  const field = useRef<HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState<Scope>({
    course: about.course?.slug ?? null,
    lesson: about.lesson?.slug ?? null,
  });
  const { chat } = view;
  const scope: Scope = chat
    ? { course: chat.course?.slug ?? null, lesson: chat.lesson?.slug ?? null }
    : chosen;
  const isWriting =
    Object.keys(view.texts).length > 0 || (view.pending !== null && !view.pending.error);

  useEffect(() => {
    if (focus > 0) field.current?.focus({ preventScroll: true });
  }, [focus]);
  // The first question makes the chat, which replaces the field: the focus stays in it.
  const chatBefore = useRef(chat?.uid);
  useLayoutEffect(() => {
    const isMade = chatBefore.current === undefined && chat !== null;
    chatBefore.current = chat?.uid;
    if (isMade && document.activeElement === document.body)
      field.current?.focus({ preventScroll: true });
  }, [chat]);
  useEffect(
    () => onConnectionDoubt(() => void client.refetchQueries({ queryKey: ["tutor", "status"] })),
    [client],
  );
  useEffect(() => {
    // How many questions are left, and how the tutor is, after each answer.
    if (!isWriting && !isLoading) void client.invalidateQueries({ queryKey: ["tutor", "status"] });
  }, [client, isWriting, isLoading]);

  const place = chat?.uid ?? `new.${scope.lesson ?? scope.course ?? ""}`;
  const [draft, setDraft] = useState(() => ({ chat: chat?.uid, text: readDraft(place) }));
  if (draft.chat !== chat?.uid) setDraft({ chat: chat?.uid, text: readDraft(place) });
  useEffect(() => keepDraft(place, draft.text), [place, draft.text]);
  const setText = (text: string): void => setDraft({ chat: chat?.uid, text });
  const ask = (question: string, mode: Mode, second?: number): void => {
    const more = second === undefined || !here ? {} : { lesson: here, second };
    // A question that could not be sent goes back into the field when another one is asked.
    const unsent = store.dismiss();
    if (unsent) setText(typed(unsent));
    void store.ask(question, mode, scope, more);
  };
  const dismiss = (): void => {
    const unsent = store.dismiss();
    if (unsent) setText([draft.text.trim(), typed(unsent)].filter(Boolean).join("\n\n"));
    field.current?.focus();
  };
  const stop = (): void => {
    store.stop().catch((thrown: unknown) => {
      toast(toApiError(thrown).message, { icon: "circle-alert" });
    });
  };
  const setScope = (next: Scope): void => {
    setChosen(next);
    if (!chat) return;
    store.setScope(next).catch((thrown: unknown) => {
      toast(toApiError(thrown).message, { icon: "circle-alert" });
    });
  };
  const { limits } = status;
  const left = limits ? Math.min(limits.hour.left, limits.day.left) : null;
  const isReachable = isOnline && failureCount === 0;
  const shown = isReachable ? statusShown(status.status, view.status, isWriting) : "offline";
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape works anywhere in the chat
    <div
      className="tutor__mid"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || !isWriting) return;
        event.preventDefault();
        stop();
      }}
    >
      <div className="tutor__top">
        {before}
        {here === undefined ? (
          <h1 className="h5">{t("AI Tutor")}</h1>
        ) : (
          <h2 className="h5">{t("AI Tutor")}</h2>
        )}
        <StatusBadge status={shown} />
        <ScopeSelect
          scope={scope}
          courses={courses}
          course={chat?.course ?? about.course}
          lesson={chat?.lesson ?? about.lesson}
          onChange={setScope}
        />
        {after}
      </div>
      <div className="tutor__scroll">
        <Thread
          view={view}
          store={store}
          scope={scope}
          isNewcomer={courses.length === 0 && here === undefined && scope.course === null}
          most={status.max_question_length}
          here={here}
          onCite={onCite ?? (() => undefined)}
          onAsk={(question, mode) => {
            if (!isWriting) ask(question, mode);
          }}
          onDismiss={dismiss}
        />
      </div>
      <Composer
        key={chat?.uid ?? "new"}
        text={draft.text}
        onText={setText}
        field={field}
        hasQuestion={view.exchanges.length > 0}
        scope={scope}
        isWriting={isWriting}
        isSearch={status.is_search}
        most={status.max_question_length}
        left={left}
        video={hasVideo ? here : undefined}
        placeholder={
          scope.lesson
            ? t("Ask about this lesson")
            : scope.course
              ? t("Ask about this course")
              : t("Ask about your courses")
        }
        onAsk={ask}
        onStop={stop}
      />
    </div>
  );
}

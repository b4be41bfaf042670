import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { calls } from "./api";
import { ChatList } from "./ChatList";
import { SourcePane } from "./SourcePane";
import { ChatStore } from "./store";
import { Tutor } from "./Tutor";
import type {
  Chat,
  ChatList as List,
  Citation,
  CourseLink,
  LessonLink,
  TutorStatus,
} from "./types";
import { useChats } from "./useChats";

export type PageProps = {
  chats: List;
  chat: Chat | null;
  status: TutorStatus;
  courses: CourseLink[];
  about: { course: CourseLink | null; lesson: LessonLink | null };
};

/** /chat/: the list of chats, the open one, and the lesson that it cites. */
export function ChatPage({ chats: first, chat, status, courses, about }: PageProps) {
  const [search, setSearch] = useState("");
  const chats = useChats(first, search);
  const { put } = chats;
  const putLatest = useRef(put);
  useEffect(() => {
    putLatest.current = put;
  }, [put]);
  const [store] = useState(() => {
    const made = new ChatStore(calls, status.status, (row) => {
      putLatest.current(row.uid, row);
      // The address of a chat that has just begun.
      if (uidOfPage() === null) history.replaceState(null, "", addressOf(row.uid));
    });
    if (chat) made.show(chat);
    return made;
  });
  const view = useSyncExternalStore(store.subscribe, () => store.view);
  const [focus, setFocus] = useState(0);
  const [isListOpen, setListOpen] = useState(false);
  const [failure, setFailure] = useState<{ error: unknown; uid: string } | null>(null);
  const [pointed, setPointed] = useState<Citation | null>(null);
  const wanted = useRef<string | null>(null);

  useEffect(() => {
    store.resume();
    return () => store.close();
  }, [store]);

  const load = async (uid: string | null): Promise<void> => {
    wanted.current = uid;
    setPointed(null);
    setFailure(null);
    if (uid === null) {
      store.show(null);
      return;
    }
    try {
      const found = await calls.fetchChat(uid);
      if (wanted.current === uid) store.show(found);
    } catch (error) {
      if (wanted.current === uid) setFailure({ error, uid });
      throw error;
    }
  };
  const open = (uid: string | null): void => {
    setListOpen(false);
    if (uid !== uidOfPage()) history.pushState(null, "", addressOf(uid));
    void load(uid).then(
      () => setFocus((before) => before + 1),
      () => undefined,
    );
  };
  const loadLatest = useRef(load);
  useEffect(() => {
    loadLatest.current = load;
  });
  useEffect(() => {
    const onPop = (): void => void loadLatest.current(uidOfPage()).catch(() => undefined);
    addEventListener("popstate", onPop);
    return () => removeEventListener("popstate", onPop);
  }, []);
  const title = view.chat?.title;
  const plain = useMemo(() => document.title, []);
  useEffect(() => {
    const site = plain.slice(plain.lastIndexOf(" | "));
    document.title = title ? title + site : t("AI Tutor") + site;
  }, [title, plain]);

  const cited = useMemo(() => {
    const answers = view.exchanges.map(({ answers }) => answers.at(-1));
    return answers.filter((one) => one && one.citations.length > 0).at(-1)?.citations ?? [];
  }, [view.exchanges]);
  const all =
    pointed === null
      ? cited
      : (view.exchanges
          .flatMap(({ answers }) => answers)
          .find(({ citations }) => citations.includes(pointed))?.citations ?? cited);
  const list = (
    <ChatList
      first={first}
      chats={chats}
      search={search}
      onSearch={setSearch}
      here={view.chat?.uid ?? null}
      onOpen={open}
      onRenamed={(row) => store.rename(row)}
    />
  );
  return (
    <>
      <aside className="tutor__list" aria-label={t("Your chats")}>
        {list}
      </aside>
      {failure ? (
        <div className="tutor__mid">
          <div className="tutor__top">
            <h1 className="h5">{t("AI Tutor")}</h1>
          </div>
          <div className="tutor__thread">
            <ErrorPanel error={toApiError(failure.error)} onRetry={() => load(failure.uid)} />
          </div>
        </div>
      ) : (
        <Tutor
          store={store}
          status={status}
          courses={courses}
          about={about}
          focus={focus}
          onCite={setPointed}
          before={
            <button
              className="icon-btn tutor__opener"
              type="button"
              aria-label={t("Your chats")}
              title={t("Your chats")}
              onClick={() => setListOpen(true)}
            >
              <Icon name="list" />
            </button>
          }
        />
      )}
      <aside className="tutor__page" aria-label={t("Cited lesson")}>
        <SourcePane cited={pointed ?? all[0] ?? null} all={all} />
      </aside>
      {isListOpen && (
        <Dialog title={t("Your chats")} className="tutor__sheet" onClose={() => setListOpen(false)}>
          <div className="tutor__list">{list}</div>
        </Dialog>
      )}
    </>
  );
}

function uidOfPage(): string | null {
  return new URLSearchParams(location.search).get("c");
}

function addressOf(uid: string | null): string {
  return uid === null ? "/chat/" : `/chat/?c=${uid}`;
}

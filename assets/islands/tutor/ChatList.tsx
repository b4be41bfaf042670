import { type FormEvent, type KeyboardEvent, type MouseEvent, useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { Menu } from "../../shared/ui/Menu";
import { deleteChat, renameChat, restoreChat } from "./api";
import { grouped } from "./groups";
import type { ChatList as List, ChatRow } from "./types";
import type { useChats } from "./useChats";

type Props = {
  first: List;
  chats: ReturnType<typeof useChats>;
  search: string;
  onSearch: (search: string) => void;
  here: string | null;
  onOpen: (uid: string | null) => void;
  onRenamed: (row: ChatRow) => void;
};

/** The user's chats with search, and a new one. */
export function ChatList({ chats, search, onSearch, here, onOpen, onRenamed }: Props) {
  const { rows, put, error, isFetchingNextPage, hasNextPage, fetchNextPage, refetch, wanted } =
    chats;
  const isFound = !chats.isFetching || isFetchingNextPage; // else the rows are those of another search
  const groups = grouped(rows);

  const remove = async (row: ChatRow): Promise<void> => {
    put(row.uid, null);
    if (here === row.uid) onOpen(null);
    try {
      await deleteChat(row.uid);
    } catch (thrown) {
      put(row.uid, row);
      toast(toApiError(thrown).message, { icon: "circle-alert", stays: true });
      return;
    }
    const undo = async (): Promise<void> => {
      try {
        await restoreChat(row.uid);
        put(row.uid, row);
        announce(t("Chat restored"));
      } catch (thrown) {
        toast(toApiError(thrown).message, { icon: "circle-alert", stays: true });
      }
    };
    toast(t("Chat deleted"), { action: { label: t("Undo"), onPress: () => void undo() } });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>(".th > a")];
    const index = links.indexOf(event.target as HTMLElement);
    if (index < 0) return;
    const goals: Record<string, HTMLElement | undefined> = { Home: links[0], End: links.at(-1) };
    const goal = goals[event.key] ?? links[index + (moves[event.key] ?? 0)];
    if (!goal || goal === event.target) return;
    event.preventDefault();
    goal.focus();
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- moves between the links in it
    <nav className="tutor__rail" aria-label={t("Chats")} onKeyDown={onKeyDown}>
      <a
        className="btn btn--block"
        href="/chat/"
        onClick={(event) => follow(event, () => onOpen(null))}
      >
        <Icon name="plus" />
        {t("New question")}
      </a>
      {(rows.length > 0 || search !== "") && (
        <label className="search">
          <span className="vh">{t("Search chats")}</span>
          <Icon name="search" />
          <input
            type="search"
            value={search}
            maxLength={100}
            placeholder={t("Search chats")}
            onChange={({ target }) => onSearch(target.value)}
          />
        </label>
      )}
      {error && (
        <ErrorPanel error={toApiError(error)} onRetry={() => refetch({ throwOnError: true })} />
      )}
      {groups.map(({ name, chats: some }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul>
            {some.map((row) => (
              <ChatItem
                key={row.uid}
                row={row}
                isHere={row.uid === here}
                onOpen={onOpen}
                onDelete={() => void remove(row)}
                onRename={(renamed) => {
                  put(row.uid, renamed);
                  onRenamed(renamed);
                }}
              />
            ))}
          </ul>
        </section>
      ))}
      {rows.length === 0 && wanted !== "" && isFound && !error && (
        <p className="muted small mt-4" role="status">
          {t("No chats match.")}
        </p>
      )}
      {hasNextPage && (
        <button
          className="link small mt-4"
          type="button"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t("Earlier chats")}
        </button>
      )}
    </nav>
  );
}

/** A plain press is handled here; others open a tab, as of any link. */
function follow(event: MouseEvent, open: () => void): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open();
}

type ItemProps = {
  row: ChatRow;
  isHere: boolean;
  onOpen: (uid: string) => void;
  onDelete: () => void;
  onRename: (row: ChatRow) => void;
};

function ChatItem({ row, isHere, onOpen, onDelete, onRename }: ItemProps) {
  const [isNaming, setNaming] = useState(false);
  const wasNaming = useRef(false);
  /** The link gets the focus back from the field. */
  const takeFocus = (link: HTMLAnchorElement | null): void => {
    if (!link || !wasNaming.current) return;
    wasNaming.current = false;
    link.focus();
  };
  const leave = (): void => {
    wasNaming.current = true;
    setNaming(false);
  };
  if (isNaming) return <NameForm row={row} onDone={leave} onRename={onRename} />;
  const choose = (action: string): void => {
    if (action === "rename") setNaming(true);
    else if (action === "delete") onDelete();
    else location.assign(`/chat/${row.uid}/export`);
  };
  return (
    <li className="th">
      <a
        href={`/chat/?c=${row.uid}`}
        aria-current={isHere ? "true" : undefined}
        ref={takeFocus}
        onClick={(event) => follow(event, () => onOpen(row.uid))}
      >
        {row.title}
      </a>
      <Menu
        label={t("More actions for {title}", { title: row.title })}
        button={<Icon name="ellipsis" />}
        buttonClass="icon-btn icon-btn--sm"
        items={[
          { id: "rename", title: t("Rename") },
          { id: "export", title: t("Export as Markdown") },
          { id: "delete", title: t("Delete") },
        ]}
        onChoose={choose}
      />
    </li>
  );
}

type NameProps = { row: ChatRow; onDone: () => void; onRename: (row: ChatRow) => void };

/** The field gets the focus where the pressed button was. */
const focusField = (field: HTMLInputElement | null): void => field?.select();

function NameForm({ row, onDone, onRename }: NameProps) {
  const [title, setTitle] = useState(row.title);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const name = title.trim();
    onDone();
    if (name === "" || name === row.title) return;
    try {
      onRename(await renameChat(row.uid, name));
    } catch (thrown) {
      toast(toApiError(thrown).message, { icon: "circle-alert", stays: true });
    }
  };
  return (
    <li>
      <form className="th-name" onSubmit={(event) => void submit(event)}>
        <label>
          <span className="vh">{t("Name of the chat")}</span>
          <input
            className="input"
            value={title}
            maxLength={120}
            ref={focusField}
            onChange={({ target }) => setTitle(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              event.stopPropagation();
              onDone();
            }}
          />
        </label>
        <span className="row row--tight">
          <button className="btn btn--sm" type="submit">
            {t("Save")}
          </button>
          <button className="btn btn--quiet btn--sm" type="button" onClick={onDone}>
            {t("Cancel")}
          </button>
        </span>
      </form>
    </li>
  );
}

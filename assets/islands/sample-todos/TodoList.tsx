import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState, useSyncExternalStore } from "react";

import { toApiError } from "../../shared/api/errors";
import { timeOfDay } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { NetworkPanels } from "../../shared/samples/NetworkPanels";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import {
  type Change,
  FRESH_MS,
  network,
  PATH,
  type Todo,
  todosQuery,
  useChange,
  useFailedChanges,
  usePendingChanges,
} from "./todos";

export type TodoListProps = {
  /** The list as the server wrote it into the page. */
  todos: Todo[];
  /** When that was, in milliseconds since 1970. */
  at: number;
  /** What was typed before the island arrived. */
  draft?: string;
};

export function TodoList({ todos: initialData, at, draft = "" }: TodoListProps) {
  const cache = useQueryClient();
  const query = useQuery({ ...todosQuery, initialData, initialDataUpdatedAt: at });
  const { faults } = useSyncExternalStore(network.subscribe, () => network.state);
  const { mutate } = useChange();
  const pending = usePendingChanges();
  const failed = useFailedChanges();
  const todos = query.data;

  const readAgain = async (): Promise<void> => {
    const isFresh = !query.isStale;
    await cache.fetchQuery(todosQuery).catch(() => undefined); // the badge says that it failed
    if (isFresh) network.logCached(PATH);
  };
  return (
    <div className="bench__example">
      {faults.has("offline") && (
        <OfflineNotice updatedAt={query.dataUpdatedAt} count={pending.length} />
      )}
      <section className="panel" aria-labelledby="example">
        <div className="panel__head">
          <h2 className="h5" id="example">
            {t("The example")}
          </h2>
          <Freshness query={query} />
        </div>
        <div className="panel__body stack">
          <AddForm draft={draft} onAdd={(todo) => mutate({ kind: "add", todo })} />
          <ul className="todolist">
            {todos.map((todo, index) => (
              <Row
                key={todo.uid}
                todo={todo}
                pending={pending.find((change) => change.todo.uid === todo.uid)}
                isOffline={faults.has("offline")}
                onMark={() => mutate({ kind: "mark", todo })}
                onRemove={() => mutate({ kind: "remove", todo, index })}
              />
            ))}
            {failed.map(({ id, change, forget }) => (
              <li key={id}>
                <Icon name="rotate-ccw" label={t("Rolled back")} />
                <span className="grow is-undone">{titleOf(change)}</span>
                <Button
                  look="quiet"
                  size="sm"
                  aria-label={t("Try again: {title}", { title: titleOf(change) })}
                  onClick={() => {
                    forget();
                    mutate(change);
                  }}
                >
                  {t("Try again")}
                </Button>
              </li>
            ))}
          </ul>
          {todos.length === 0 && <p className="muted">{t("Nothing to do yet.")}</p>}
          <p className="sample__said small faint" role="status">
            {failed.length > 0 &&
              t("The last one was rolled back: {reason}", {
                reason: toApiError(failed.at(-1)?.error).message,
              })}
          </p>
        </div>
      </section>
      <NetworkPanels network={network} faults={["slow", "reject", "fail", "offline"]}>
        <Button
          size="sm"
          isBusy={query.fetchStatus === "fetching"}
          onClick={() => void query.refetch()}
        >
          <Icon name="refresh-cw" />
          {t("Refetch now")}
        </Button>
        <Button size="sm" onClick={() => void readAgain()}>
          {t("Read from the cache while fresh")}
        </Button>
      </NetworkPanels>
    </div>
  );
}

function titleOf({ kind, todo }: Change): string {
  if (kind === "add") return todo.title;
  if (kind === "remove") return t("Remove “{title}”", { title: todo.title });
  return todo.is_done
    ? t("Mark “{title}” as open", { title: todo.title })
    : t("Mark “{title}” as done", { title: todo.title });
}

type RowProps = {
  todo: Todo;
  pending: Change | undefined;
  isOffline: boolean;
  onMark: () => void;
  onRemove: () => void;
};

function Row({ todo, pending, isOffline, onMark, onRemove }: RowProps) {
  const state = isOffline ? t("Queued") : t("Saving");
  if (pending?.kind === "add") {
    return (
      <li>
        <span className="spin" aria-hidden="true" />
        <span className="grow is-on-its-way">{todo.title}</span>
        <span className="small faint" role="status">
          {state}
        </span>
      </li>
    );
  }
  return (
    <li>
      <label className="check grow">
        <input
          type="checkbox"
          checked={todo.is_done}
          onChange={onMark}
          disabled={pending !== undefined}
        />
        <span>{todo.title}</span>
      </label>
      {pending ? (
        <span className="small faint" role="status">
          {state}
        </span>
      ) : (
        <button
          className="icon-btn icon-btn--sm"
          type="button"
          aria-label={t("Remove “{title}”", { title: todo.title })}
          onClick={onRemove}
        >
          <Icon name="trash-2" />
        </button>
      )}
    </li>
  );
}

function AddForm({ draft, onAdd }: { draft: string; onAdd: (todo: Todo) => void }) {
  const [title, setTitle] = useState(draft);
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (title.trim() === "") return;
    onAdd({ uid: `new ${Date.now()} ${Math.random()}`, title: title.trim(), is_done: false });
    setTitle("");
  };
  return (
    <form className="sample__add" aria-label={t("Add")} onSubmit={add}>
      <label className="vh" htmlFor="id_title">
        {t("New to-do")}
      </label>
      <input
        className="input"
        id="id_title"
        placeholder={t("New to-do")}
        autoComplete="off"
        maxLength={100}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <Button look="primary" type="submit">
        <Icon name="plus" />
        {t("Add")}
      </Button>
    </form>
  );
}

/** How fresh the cached list is, second by second. */
function Freshness({ query }: { query: UseQueryResult<Todo[]> }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.ceil((query.dataUpdatedAt + FRESH_MS - now) / 1000);
  const shown = (): { badge: string; pip: string; label: string } => {
    if (query.fetchStatus === "paused")
      return { badge: "badge--warn", pip: "pip--dash", label: t("Waiting for a connection") };
    if (query.fetchStatus === "fetching") {
      const label =
        query.failureCount > 0
          ? t("Retry {count} of 3", { count: query.failureCount })
          : t("Updating");
      return { badge: "badge--info", pip: "pip--half", label };
    }
    if (query.isError) return { badge: "badge--error", pip: "pip--bar", label: t("Update failed") };
    if (query.isStale || left <= 0) return { badge: "", pip: "", label: t("Stale") };
    const label = t("Fresh for {seconds} s", {
      seconds: Math.min(left, FRESH_MS / 1000),
    });
    return { badge: "badge--ok", pip: "pip--full", label };
  };
  const { badge, pip, label } = shown();
  return (
    <span className={`badge ${badge}`}>
      <span className={`pip ${pip}`} aria-hidden="true" />
      {label}
    </span>
  );
}

function OfflineNotice({ updatedAt, count }: { updatedAt: number; count: number }) {
  const time = timeOfDay(updatedAt);
  return (
    <div className="notice notice--warning" role="status">
      <Icon name="wifi-off" className="notice__icon" />
      <p className="notice__title">{t("No connection")}</p>
      <p className="notice__body">
        {t("You're seeing the list from {time}. Changes are queued and sent in order.", { time })}
        {count > 0 && " "}
        {count > 0 && tn("{count} change is queued.", "{count} changes are queued.", count)}
      </p>
    </div>
  );
}

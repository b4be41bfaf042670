/** To-dos that an MCP client changes at the same time: the list is read again every second and a half. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { api, unwrap } from "../../shared/api/client";
import { toApiError } from "../../shared/api/errors";
import type { components } from "../../shared/api/schema.gen";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";

type Todo = components["schemas"]["SampleTodoOut"];
type Change = { kind: "add"; title: string } | { kind: "mark" | "remove"; todo: Todo };

export type SharedTodosProps = {
  /** The list as the server wrote it into the page. */
  todos: Todo[];
  /** When that was, in milliseconds since 1970. */
  at: number;
  /** What was typed before the island arrived. */
  draft?: string;
};

export const EVERY_MS = 1500;

const todosQuery = queryOptions({
  queryKey: ["shared-todos"],
  queryFn: ({ signal }) => unwrap(api.GET("/api/mcp-todos", { signal })),
  // Only while the page is visible: TanStack Query stops in the background.
  refetchInterval: EVERY_MS,
  staleTime: EVERY_MS,
});

async function send(change: Change): Promise<void> {
  if (change.kind === "add") {
    await unwrap(api.POST("/api/mcp-todos", { body: { title: change.title } }));
    return;
  }
  const params = { path: { uid: change.todo.uid } };
  if (change.kind === "remove") await unwrap(api.DELETE("/api/mcp-todos/{uid}", { params }));
  else {
    const body = { is_done: !change.todo.is_done };
    await unwrap(api.PATCH("/api/mcp-todos/{uid}", { params, body }));
  }
}

export function SharedTodos({ todos: initialData, at, draft = "" }: SharedTodosProps) {
  const cache = useQueryClient();
  const query = useQuery({ ...todosQuery, initialData, initialDataUpdatedAt: at });
  const change = useMutation({
    mutationFn: send,
    scope: { id: "shared-todos" }, // one after the other
    onSettled: () => cache.invalidateQueries(todosQuery),
  });
  const [title, setTitle] = useState(draft);
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const typed = title.trim();
    if (typed === "") return;
    // What was typed stays until the server has it.
    change.mutate({ kind: "add", title: typed }, { onSuccess: () => setTitle("") });
  };
  return (
    <section className="panel" aria-labelledby="example">
      <div className="panel__head">
        <h2 className="h5" id="example">
          {t("The example")}
        </h2>
        <Live isFailing={query.isError} />
      </div>
      <div className="panel__body stack">
        <form className="sample__add" aria-label={t("Add")} onSubmit={add}>
          <label className="vh" htmlFor="id_title">
            {t("New to-do")}
          </label>
          <input
            className="input"
            id="id_title"
            maxLength={100}
            placeholder={t("New to-do")}
            autoComplete="off"
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
          <Button look="primary" type="submit" isBusy={change.isPending}>
            <Icon name="plus" />
            {t("Add")}
          </Button>
        </form>
        <ul className="todolist">
          {query.data.map((todo) => (
            <li key={todo.uid}>
              <label className="check grow">
                <input
                  type="checkbox"
                  checked={todo.is_done}
                  onChange={() => change.mutate({ kind: "mark", todo })}
                />
                <span>{todo.title}</span>
              </label>
              <button
                className="icon-btn icon-btn--sm"
                type="button"
                aria-label={t("Remove “{title}”", { title: todo.title })}
                onClick={() => change.mutate({ kind: "remove", todo })}
              >
                <Icon name="trash-2" />
              </button>
            </li>
          ))}
        </ul>
        {query.data.length === 0 && <p className="muted">{t("Nothing to do yet.")}</p>}
        <p className="sample__said small faint" role="status">
          {change.isError && toApiError(change.error).message}
        </p>
      </div>
    </section>
  );
}

function Live({ isFailing }: { isFailing: boolean }) {
  return (
    <span className={`badge ${isFailing ? "badge--warn" : "badge--ok"}`}>
      <span className={`pip ${isFailing ? "pip--dash" : "pip--full"}`} aria-hidden="true" />
      {isFailing ? t("Waiting for a connection") : t("Live")}
    </span>
  );
}

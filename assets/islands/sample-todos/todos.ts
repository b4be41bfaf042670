/** The to-dos: one query, and one mutation whose result is shown before the server answers. */
import { queryOptions, useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";

import { api, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import { Network } from "../../shared/samples/network";

export type Todo = components["schemas"]["SampleTodoOut"];

/** A change, with the to-do as it was before. A new one has an id of its own until the server gives it one. */
export type Change =
  | { kind: "add"; todo: Todo }
  | { kind: "mark"; todo: Todo }
  | { kind: "remove"; todo: Todo; index: number };

export const PATH = "/api/demo-tq-todos";
/** So long after an answer the list is read from the cache. */
export const FRESH_MS = 30_000;
export const network = new Network();

export const todosQuery = queryOptions({
  queryKey: ["sample-todos"],
  queryFn: ({ signal }) => unwrap(api.GET("/api/demo-tq-todos", { signal, fetch: network.fetch })),
  staleTime: FRESH_MS,
  networkMode: "online",
});

const mutationKey = ["sample-todos", "change"];

export function useChange() {
  const cache = useQueryClient();
  return useMutation({
    mutationKey,
    mutationFn: send,
    // Changes wait for a connection and are sent one after the other.
    networkMode: "online",
    scope: { id: "sample-todos" },
    onMutate: async (change: Change) => {
      await cache.cancelQueries(todosQuery);
      cache.setQueryData(todosQuery.queryKey, (todos = []) => withChange(todos, change));
    },
    onError: (_error, change) => {
      cache.setQueryData(todosQuery.queryKey, (todos = []) => withoutChange(todos, change));
    },
    onSuccess: (saved, { todo }) => {
      if (!saved) return;
      cache.setQueryData(todosQuery.queryKey, (todos = []) =>
        todos.map((one) => (one.uid === todo.uid ? saved : one)),
      );
    },
    onSettled: async () => {
      // An answer from before the last change would undo it.
      if (cache.isMutating({ mutationKey }) === 1) await cache.invalidateQueries(todosQuery);
    },
  });
}

/** Sends a change; resolves with the to-do as the server saved it. */
async function send(change: Change): Promise<Todo | undefined> {
  const query = network.rejectsNextChange() ? { reject: true } : {};
  const { fetch } = network;
  const { uid, title, is_done } = change.todo;
  const params = { path: { uid }, query };
  if (change.kind === "add")
    return unwrap(api.POST("/api/demo-tq-todos", { params: { query }, body: { title }, fetch }));
  if (change.kind === "mark") {
    const body = { is_done: !is_done };
    return unwrap(api.PATCH("/api/demo-tq-todos/{uid}", { params, body, fetch }));
  }
  await unwrap(api.DELETE("/api/demo-tq-todos/{uid}", { params, fetch }));
  return undefined;
}

function withChange(todos: Todo[], change: Change): Todo[] {
  const { kind, todo } = change;
  if (kind === "add") return [...todos, todo];
  if (kind === "remove") return todos.filter((one) => one.uid !== todo.uid);
  return todos.map((one) => (one.uid === todo.uid ? { ...one, is_done: !todo.is_done } : one));
}

function withoutChange(todos: Todo[], change: Change): Todo[] {
  const { kind, todo } = change;
  if (kind === "add") return todos.filter((one) => one.uid !== todo.uid);
  if (kind === "mark") return todos.map((one) => (one.uid === todo.uid ? todo : one));
  return [...todos.slice(0, change.index), todo, ...todos.slice(change.index)];
}

/** The changes that the server has not answered yet. */
export function usePendingChanges(): Change[] {
  return useMutationState({
    filters: { mutationKey, status: "pending" },
    select: ({ state }) => state.variables as Change,
  });
}

/** The changes that were rolled back, with a function that forgets each. */
export function useFailedChanges(): {
  id: number;
  change: Change;
  error: Error | null;
  forget: () => void;
}[] {
  const cache = useQueryClient().getMutationCache();
  return useMutationState({
    filters: { mutationKey, status: "error" },
    select: (mutation) => ({
      id: mutation.mutationId,
      change: mutation.state.variables as Change,
      error: mutation.state.error,
      forget: () => cache.remove(mutation),
    }),
  });
}

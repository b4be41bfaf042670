/** Which folder, search, order and view the page shows, as its address says. */
import { useCallback, useSyncExternalStore } from "react";

import { orders, type Order, type Query } from "./api";

export type View = "list" | "grid";
export type Place = Query & { view: View };

export function placeOf(search: string): Place {
  const query = new URLSearchParams(search);
  const sort = query.get("sort") as Order;
  return {
    folder: query.get("folder") ?? null,
    q: (query.get("q") ?? "").trim().slice(0, 100),
    sort: orders.includes(sort) ? sort : "modified",
    view: query.get("view") === "grid" ? "grid" : "list",
  };
}

/** The address of a place; what is as by default is left out. */
export function addressOf({ folder, q, sort, view }: Place, path = "/files/"): string {
  const query = new URLSearchParams({
    ...(folder && { folder }),
    ...(q && { q }),
    ...(sort !== "modified" && { sort }),
    ...(view !== "list" && { view }),
  }).toString();
  return query ? `${path}?${query}` : path;
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

/**
 * The place, and a function that changes it. A new folder, and the beginning of a search, become an entry of the
 * browser's history; anything else replaces the current one.
 */
export function usePlace(): [Place, (change: Partial<Place>) => void] {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const go = useCallback((change: Partial<Place>): void => {
    const before = placeOf(location.search);
    const next = { ...before, ...change };
    const address = addressOf(next, location.pathname);
    if (address === location.pathname + location.search) return;
    const isNew = next.folder !== before.folder || (before.q === "") !== (next.q === "");
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(history.state, "", address);
    for (const listener of listeners) listener();
  }, []);
  return [placeOf(search), go];
}

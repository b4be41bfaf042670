/** Changes of the library: shown before the server answers, and rolled back if it refuses. */
import {
  type InfiniteData,
  type QueryClient,
  type QueryKey,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";

import { announce } from "../../shared/announce";
import { toApiError } from "../../shared/api/errors";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import {
  act,
  type Action,
  createFolder,
  DETAILS,
  fetchPage,
  type FolderItem,
  isShort,
  type Listing,
  LISTS,
  type Query,
  renameFile,
  renameFolder,
  treeQuery,
} from "./api";
import { type Entry, uidsOf } from "./entries";
import { refreshSpace } from "./page";

type Pages = InfiniteData<Listing, string | null>;
/** A folder; `uid` null is the top. */
export type Target = { uid: string | null; name: string };

type Change =
  | { kind: "rename"; entry: Entry; name: string }
  | { kind: "act"; action: Action; entries: readonly Entry[]; to: Target | null };

const mutationKey = ["files", "change"];

export type Changes = {
  rename: (entry: Entry, name: string) => void;
  move: (entries: readonly Entry[], to: Target) => void;
  copy: (entries: readonly Entry[], to: Target) => void;
  bin: (entries: readonly Entry[]) => void;
  create: (name: string) => Promise<FolderItem>;
  refresh: () => Promise<void>;
};

/** `asked`: what is listed now. */
export function useChanges(asked: Query): Changes {
  const cache = useQueryClient();
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: send,
    // One after the other, in the order of the user.
    scope: { id: "files" },
    onMutate: async (change: Change) => {
      await cache.cancelQueries({ queryKey: LISTS });
      const before = cache.getQueriesData<Pages>({ queryKey: LISTS });
      patch(cache, (listing) => withChange(listing, change));
      return before;
    },
    onError: (error, change, before) => {
      for (const [key, pages] of before ?? []) cache.setQueryData(key, pages);
      const sentence = refused(change, toApiError(error).message);
      toast(sentence, { icon: "circle-alert", stays: true });
    },
    onSuccess: (saved, change) => {
      if (change.kind !== "rename" || !saved) return;
      // The server may have cleaned the name.
      patch(cache, (listing) => withName(listing, change.entry.uid, saved.name));
      announce(t("Renamed to “{name}”.", { name: saved.name }));
    },
    onSettled: async () => {
      // An answer from before the last change would undo it.
      if (cache.isMutating({ mutationKey }) === 1) await refresh(cache);
    },
  });

  const { folder, q } = asked;
  return useMemo(() => {
    const run = (
      action: Action,
      entries: readonly Entry[],
      to: Target | null,
      onDone?: () => void,
    ): void => {
      const change: Change = { kind: "act", action, entries, to };
      mutate(change, { onSuccess: onDone ?? (() => announce(done(change))) });
    };
    return {
      rename: (entry, name) => mutate({ kind: "rename", entry, name }),
      move: (entries, to) =>
        run("move", entries, to, () => {
          const change: Change = { kind: "act", action: "move", entries, to };
          const back: Target = { uid: folder, name: "" };
          // What a search has found may come from several folders.
          const undo = q === "" ? () => run("move", entries, back) : undefined;
          toast(done(change), undo && { action: { label: t("Undo"), onPress: undo } });
        }),
      copy: (entries, to) =>
        run("copy", entries, to, () => toast(done({ kind: "act", action: "copy", entries, to }))),
      bin: (entries) =>
        run("bin", entries, null, () => {
          const undo = (): void => run("restore", entries, null);
          toast(done({ kind: "act", action: "bin", entries, to: null }), {
            icon: "trash-2",
            action: { label: t("Undo"), onPress: undo },
          });
        }),
      create: async (name) => {
        const made = await createFolder(name, folder);
        await refresh(cache);
        return made;
      },
      refresh: () => refresh(cache),
    };
  }, [cache, mutate, folder, q]);
}

async function send(change: Change): Promise<{ name: string } | undefined> {
  if (change.kind === "rename") {
    const { entry, name } = change;
    return entry.is === "file" ? renameFile(entry.uid, name) : renameFolder(entry.uid, name);
  }
  await act(change.action, uidsOf(change.entries), change.to?.uid ?? null);
  return undefined;
}

function patch(cache: QueryClient, change: (listing: Listing) => Listing): void {
  cache.setQueriesData<Pages>(
    { queryKey: LISTS },
    (data) => data && { ...data, pages: data.pages.map(change) },
  );
}

function withName(listing: Listing, uid: string, name: string): Listing {
  const rename = <T extends { uid: string; name: string }>(one: T): T =>
    one.uid === uid ? { ...one, name } : one;
  return {
    ...listing,
    folder: listing.folder && rename(listing.folder),
    trail: listing.trail.map(rename),
    folders: listing.folders.map(rename),
    files: listing.files.map(rename),
  };
}

/** A page of a listing as it will be after the change. */
export function withChange(listing: Listing, change: Change): Listing {
  if (change.kind === "rename") return withName(listing, change.entry.uid, change.name);
  const { action, entries, to } = change;
  if (action !== "move" && action !== "bin") return listing;
  // Moving into the listed folder itself changes nothing that is shown.
  if (action === "move" && (listing.folder?.uid ?? null) === to?.uid) return listing;
  const { files, folders } = uidsOf(entries);
  const gone = new Set([...files, ...folders]);
  const added = entries.filter(({ is }) => is === "file").length;
  return {
    ...listing,
    folders: listing.folders
      .filter(({ uid }) => !gone.has(uid))
      .map((one) => (one.uid === to?.uid ? { ...one, file_count: one.file_count + added } : one)),
    files: listing.files.filter(({ uid }) => !gone.has(uid)),
    count: listing.count - added,
  };
}

/** Fetch again what a change may have changed. Of a long listing only the first page is: what is loaded stays. */
export async function refresh(cache: QueryClient): Promise<void> {
  refreshSpace();
  void cache.invalidateQueries(treeQuery);
  void cache.invalidateQueries({ queryKey: DETAILS });
  const lists = cache.getQueryCache().findAll({ queryKey: LISTS });
  const long = lists.filter(({ queryKey }) => {
    const data = cache.getQueryData<Pages>(queryKey);
    return data !== undefined && !isShort(data.pages);
  });
  await Promise.all([
    cache.invalidateQueries({ queryKey: LISTS, predicate: (query) => !long.includes(query) }),
    ...long.map(({ queryKey }) => refreshStart(cache, queryKey)),
  ]);
}

async function refreshStart(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  const fresh = await fetchPage(queryKey[2] as Query, null);
  cache.setQueryData<Pages>(queryKey, (data) => {
    const [first, ...others] = data?.pages ?? [];
    if (!data || !first) return data;
    const known = new Set(fresh.files.map(({ uid }) => uid));
    const files = [...fresh.files, ...first.files.filter(({ uid }) => !known.has(uid))];
    // The pages after it continue where the old first page ended.
    return { ...data, pages: [{ ...fresh, files, next: first.next }, ...others] };
  });
}

function done({ action, entries, to }: Extract<Change, { kind: "act" }>): string {
  const count = entries.length;
  const into = to?.name ?? "";
  const name = entries[0]?.name ?? "";
  switch (action) {
    case "move":
      if (into === "")
        return tn("{count} item was moved back.", "{count} items were moved back.", count);
      return count === 1
        ? t("“{name}” was moved to “{folder}”.", { name, folder: into })
        : tn(
            "{count} item was moved to “{folder}”.",
            "{count} items were moved to “{folder}”.",
            count,
            { folder: into },
          );
    case "copy":
      return count === 1
        ? t("“{name}” was copied to “{folder}”.", { name, folder: into })
        : tn(
            "{count} item was copied to “{folder}”.",
            "{count} items were copied to “{folder}”.",
            count,
            { folder: into },
          );
    case "bin":
      return count === 1
        ? t("“{name}” was moved to the bin.", { name })
        : tn("{count} item was moved to the bin.", "{count} items were moved to the bin.", count);
    case "restore":
      return tn("{count} item was restored.", "{count} items were restored.", count);
  }
}

function refused(change: Change, reason: string): string {
  if (change.kind === "rename") return t("Not renamed. {reason}", { reason });
  switch (change.action) {
    case "move":
      return t("Not moved. {reason}", { reason });
    case "copy":
      return t("Not copied. {reason}", { reason });
    case "bin":
      return t("Not moved to the bin. {reason}", { reason });
    case "restore":
      return t("Not restored. {reason}", { reason });
  }
}

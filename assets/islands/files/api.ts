/** API calls and queries of the library. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";

export type FolderItem = components["schemas"]["FolderOut"];
export type FileItem = components["schemas"]["FileOut"];
export type FileDetail = components["schemas"]["FileDetailOut"];
/** One page of a folder or of what a search finds. */
export type Listing = components["schemas"]["FileListOut"];
export type TreeFolder = components["schemas"]["FolderInTree"];

export const orders = ["modified", "name", "size", "type"] as const;
export type Order = (typeof orders)[number];

/** What is listed: a folder (null: the top) or a search in it and below it. */
export type Query = { folder: string | null; q: string; sort: Order };

export type Action = "move" | "copy" | "bin" | "restore";

export type Uids = { files: string[]; folders: string[] };

export const LISTS = ["files", "list"] as const;
export const DETAILS = ["files", "detail"] as const;
/** Pages of a listing that are fetched again after a change; of a longer one, only the first. */
const MAX_REFETCHED = 3;
const THUMBNAIL_MS = 3_000;
/** So long after an upload a missing thumbnail may still be made. */
const THUMBNAIL_WAIT_MS = 60_000;

export function fetchPage({ folder, q, sort }: Query, cursor: string | null, signal?: AbortSignal) {
  const query = { ...(folder && { folder }), ...(q && { q }), sort, ...(cursor && { cursor }) };
  return unwrap(
    authenticatedApi.GET("/api/v1/files/", { params: { query }, ...(signal && { signal }) }),
  );
}

export function listQuery(asked: Query) {
  return infiniteQueryOptions({
    queryKey: [...LISTS, asked] as const,
    queryFn: ({ pageParam, signal }) => fetchPage(asked, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: Listing) => next,
    refetchInterval: ({ state }) =>
      state.data && state.data.pages.length <= MAX_REFETCHED && lacksThumbnail(state.data.pages)
        ? THUMBNAIL_MS
        : false,
  });
}

function lacksThumbnail(pages: Listing[]): boolean {
  const since = Date.now() - THUMBNAIL_WAIT_MS;
  return pages.some(({ files }) =>
    files.some(
      ({ kind, thumbnail, modified_at }) =>
        kind === "image" && !thumbnail && Date.parse(modified_at) > since,
    ),
  );
}

export const isShort = (pages: readonly unknown[]): boolean => pages.length <= MAX_REFETCHED;

export const detailQuery = (uid: string) =>
  queryOptions({
    queryKey: [...DETAILS, uid],
    queryFn: ({ signal }) =>
      unwrap(authenticatedApi.GET("/api/v1/files/{uid}/", { params: { path: { uid } }, signal })),
  });

/** All folders, for dialogs. */
export const treeQuery = queryOptions({
  queryKey: ["files", "tree"],
  queryFn: ({ signal }) => unwrap(authenticatedApi.GET("/api/v1/files/folders/", { signal })),
});

export function renameFile(uid: string, name: string): Promise<FileItem> {
  return unwrap(
    authenticatedApi.PATCH("/api/v1/files/{uid}/", { params: { path: { uid } }, body: { name } }),
  );
}

export function renameFolder(uid: string, name: string): Promise<FolderItem> {
  return unwrap(
    authenticatedApi.PATCH("/api/v1/files/folders/{uid}/", {
      params: { path: { uid } },
      body: { name },
    }),
  );
}

export function createFolder(name: string, parent: string | null): Promise<FolderItem> {
  return unwrap(authenticatedApi.POST("/api/v1/files/folders/", { body: { name, parent } }));
}

export function act(action: Action, uids: Uids, to: string | null): Promise<{ done: number }> {
  return unwrap(authenticatedApi.POST("/api/v1/files/actions/", { body: { action, ...uids, to } }));
}

/** Uploads that continue after the browser was closed, with the files that it can open again. */
import { useEffect, useRef, useState } from "react";

import * as fileHandles from "../../shared/uploads/fileHandles";
import type { Reopened, StoredFile } from "../../shared/uploads/fileHandles";
import type { Transfer, Transfers } from "../../shared/uploads/transfers";
import * as uploadLocks from "../../shared/uploads/uploadLocks";
import type { Video } from "./api";

/** Why a stored file wasn't opened: the browser wants to be asked, or it is another file by now. */
export type Obstacle = Exclude<Reopened["state"], "open">;

export type StoredFiles = {
  /** What keeps the upload of this video from continuing; null if its file isn't stored here. */
  obstacleOf: (video: Video) => Obstacle | null;
  /** Continue its upload; the browser may ask the user. Call it during a click. */
  reopen: (video: Video) => Promise<void>;
};

/** Where the files of uploads are stored, and who sends them; tests pass their own. */
export type FileStore = Pick<
  typeof fileHandles & typeof uploadLocks,
  | "forgetFile"
  | "handleOf"
  | "holdUpload"
  | "loadStoredFiles"
  | "releaseUpload"
  | "reopenFile"
  | "storeFile"
>;
export const browserFiles: FileStore = { ...fileHandles, ...uploadLocks };

const uidOf = (url: string): string => url.split("/").filter(Boolean).at(-1) ?? "";

/** @param videos undefined until they have been loaded */
export function useStoredFiles(
  transfers: Transfers,
  all: readonly Transfer[],
  videos: readonly Video[] | undefined,
  user: string,
  store: FileStore,
): StoredFiles {
  const [stored, setStored] = useState<StoredFile[]>([]);
  const [obstacles, setObstacles] = useState<ReadonlyMap<string, Obstacle>>(new Map());
  const tried = useRef(new Set<string>());
  const isReady = videos !== undefined;

  useStoring(all, user, store);

  useEffect(() => {
    let isHere = true;
    void store.loadStoredFiles(user).then((found) => {
      if (isHere) setStored(found);
    });
    return () => {
      isHere = false;
    };
  }, [user, store]);

  const open = async (file: StoredFile, video: Video, mayAsk: boolean): Promise<void> => {
    const reopened = await store.reopenFile(file, mayAsk);
    if (reopened.state !== "open") {
      setObstacles((known) => new Map(known).set(file.url, reopened.state));
      return;
    }
    // Another tab of this browser sends it already, or has been asked first.
    if (!(await store.holdUpload(file.url))) return;
    if (transfers.all.some(({ url }) => url !== null && uidOf(url) === uidOf(file.url))) return;
    transfers.add(reopened.file, {
      url: file.url,
      video: video.uid,
      isPaused: file.isPaused && !mayAsk,
      sent: video.upload?.offset ?? 0,
    });
  };

  useEffect(() => {
    if (!videos) return;
    for (const file of stored) {
      if (tried.current.has(file.url)) continue;
      tried.current.add(file.url);
      const video = unfinished(videos, file);
      if (video) void open(file, video, false);
      else void store.forgetFile(file.url); // complete, canceled or expired
    }
    // `open` uses nothing that changes.
  }, [stored, isReady]); // eslint-disable-line react-hooks/exhaustive-deps

  const fileOf = (video: Video): StoredFile | undefined =>
    stored.find(({ url }) => uidOf(url) === video.upload?.uid);
  return {
    obstacleOf(video) {
      const file = fileOf(video);
      return file ? (obstacles.get(file.url) ?? null) : null;
    },
    async reopen(video) {
      const file = fileOf(video);
      if (file) await open(file, video, true);
    },
  };
}

function unfinished(videos: readonly Video[], { url }: StoredFile): Video | null {
  return (
    videos.find(({ stage, upload }) => stage === "uploading" && upload?.uid === uidOf(url)) ?? null
  );
}

/** Stores the files of unfinished transfers, and forgets those that were sent, canceled or refused. */
function useStoring(all: readonly Transfer[], user: string, store: FileStore): void {
  const known = useRef(new Map<string, boolean>());
  useEffect(() => {
    const present = new Set<string>();
    for (const { url, file, state } of all) {
      if (url === null || state === "sent" || state === "refused") continue;
      present.add(url);
      const isPaused = state === "paused";
      if (known.current.get(url) === isPaused) continue;
      if (!known.current.has(url)) void store.holdUpload(url);
      known.current.set(url, isPaused);
      const handle = store.handleOf(file);
      if (!handle) continue;
      const { name, size, lastModified } = file;
      void store.storeFile({ url, user, name, size, lastModified, handle, isPaused });
    }
    for (const url of known.current.keys()) {
      if (present.has(url)) continue;
      known.current.delete(url);
      store.releaseUpload(url);
      void store.forgetFile(url);
    }
  }, [all, user, store]);
}

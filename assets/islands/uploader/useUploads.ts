import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { announce } from "../../shared/announce";
import { t, tn } from "../../shared/i18n";
import { matchLessons } from "./matchLessons";
import { pathOf } from "../../shared/uploads/paths";
import { type FileStore, useStoredFiles } from "./useStoredFiles";
import {
  editableLessonsQuery,
  lessonsOfVideos,
  storageQuery,
  type Video,
  type VideoLesson,
  videosQuery,
} from "./api";
import { type Limits, refusalOf } from "./checkFile";
import { hasVideo, type Job, jobsOf, openUploadFor } from "./jobs";
import { proposalKey, proposalsOf } from "./proposals";
import { listenToVideos } from "./videoSocket";
import type { AddOptions, Transfer, Transfers } from "../../shared/uploads/transfers";
import type { Transport } from "../../shared/uploads/transport";
import { useGuardedLeaving } from "../../shared/uploads/useGuardedLeaving";

const POLL_MS = 3_000; // how often videos are requested while the socket is closed
const REGROUP_MS = 10_000; // how often the age of jobs is checked

/** The videos of the server, updated by the socket, or by polling while it is closed. */
export function useVideos() {
  const cache = useQueryClient();
  const [isLive, setLive] = useState(false);
  const videos = useQuery({ ...videosQuery, refetchInterval: isLive ? false : POLL_MS });

  useEffect(() => {
    const put = (change: (videos: Video[]) => Video[]): void => {
      cache.setQueryData(videosQuery.queryKey, (known) => (known ? change(known) : known));
    };
    return listenToVideos({
      onVideo: (video) => {
        put((known) => {
          const before = known.find(({ uid }) => uid === video.uid);
          announceChange(before, video);
          return before
            ? known.map((one) => (one.uid === video.uid ? video : one))
            : [video, ...known];
        });
      },
      onGone: (uid) => put((known) => known.filter((one) => one.uid !== uid)),
      onLive: (isLiveNow) => {
        setLive(isLiveNow);
        // Catch up on changes while the socket was closed.
        if (isLiveNow) void cache.invalidateQueries({ queryKey: videosQuery.queryKey });
      },
    });
  }, [cache]);
  return videos;
}

function announceChange(before: Video | undefined, after: Video): void {
  if (!before || before.stage === after.stage) return;
  if (after.stage === "complete") announce(t("{name} is complete", { name: after.filename }));
  if (after.stage === "failed")
    announce(
      t("{name}: {reason}", { name: after.filename, reason: after.failure_label }),
      "assertive",
    );
}

/** All jobs, and a function that starts uploads. */
export function useUploads(
  transfers: Transfers,
  transport: Transport,
  limits: Limits,
  user: string,
  files: FileStore,
) {
  const cache = useQueryClient();
  const all = useSyncExternalStore(transfers.subscribe, () => transfers.all);
  const videos = useVideos();
  const storage = useQuery(storageQuery);
  const editable = useQuery(editableLessonsQuery);
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set());
  const [now, setNow] = useState(() => Date.now());

  const known = useMemo(() => videos.data ?? [], [videos.data]);
  const uids = useMemo(() => known.slice(0, 100).map(({ uid }) => uid), [known]);
  const shown = useQuery(lessonsOfVideos(uids));
  const lessons = useMemo(
    () => [...(shown.data ?? []), ...(editable.data ?? [])],
    [shown.data, editable.data],
  );
  const areLessonsKnown = shown.isSuccess && !shown.isPlaceholderData && editable.isSuccess;
  const jobs = useMemo(
    () => jobsOf(all, known, lessons, now, areLessonsKnown),
    [all, known, lessons, now, areLessonsKnown],
  );

  const proposals = useMemo(
    () => proposalsOf(jobs, editable.data ?? [], known, declined),
    [jobs, editable.data, known, declined],
  );

  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), REGROUP_MS);
    return () => clearInterval(clock);
  }, []);
  const storedFiles = useStoredFiles(transfers, all, videos.data, user, files);
  useGuardedLeaving(transfers);
  useStorageRefresh(all, known);

  const refresh = (): void => {
    for (const key of ["videos", "storage", "teaching"])
      void cache.invalidateQueries({ queryKey: [key] });
  };

  /**
   * Upload chosen files; unfinished uploads of the same file are resumed. The first one is for the lesson `target`,
   * the others for the lessons without a video that their names tell.
   */
  const take = async (files: readonly File[], options: AddOptions = {}): Promise<void> => {
    let free = storage.data?.free ?? null;
    let target = options.target ?? null;
    const isNew = !options.url && !options.replaces;
    const matched = isNew
      ? matchLessons(
          files.map((file) => ({ name: file.name, path: pathOf(file) || "" })),
          lessonsToMatch(editable.data ?? [], all, target),
        )
      : new Map<number, VideoLesson>();
    let matchCount = 0;
    for (const [place, file] of files.entries()) {
      const unfinished = options.url || options.replaces ? null : openUploadFor(file, known);
      const url =
        options.url ??
        (unfinished?.upload ? `/api/v1/uploads/${unfinished.upload.uid}/` : null) ??
        (options.replaces ? null : await transport.findPrevious(file).catch(() => null));
      // A resumed upload has its storage reserved already.
      const refusal = refusalOf(file, limits, url === null ? free : null, storage.data?.allowance);
      if (!refusal && free !== null && url === null) free -= file.size;
      const named = url === null ? matched.get(place) : undefined;
      // A video is replaced only by the user's choice, which is asked for beside the file.
      const lesson = target ?? (named && !hasVideo(named) ? named.uid : null);
      transfers.add(file, {
        ...options,
        url,
        video: options.video ?? unfinished?.uid ?? null,
        target: refusal ? null : lesson,
        refusal,
      });
      if (!refusal && target === null && lesson !== null) matchCount += 1;
      if (!refusal) target = null; // one lesson, one video
      if (refusal) announce(`${file.name}: ${refusal.message}`, "assertive");
    }
    announce(
      matchCount === 0
        ? tn("{count} file added", "{count} files added", files.length)
        : tn(
            "{count} file was assigned to a lesson by its name",
            "{count} files were assigned to lessons by their names",
            matchCount,
          ),
    );
  };

  /** What the browser offers to choose: the formats that the server accepts. */
  const accept = limits.endings.join(",");
  return {
    jobs,
    take,
    refresh,
    videos,
    accept,
    storage,
    storedFiles,
    editableLessons: editable.data ?? [],
    proposals,
    decline: (job: Job, lesson: VideoLesson): void =>
      setDeclined((before) => new Set(before).add(proposalKey(job, lesson))),
  };
}

/** The lessons that no transfer is for yet. */
function lessonsToMatch(
  lessons: readonly VideoLesson[],
  all: readonly Transfer[],
  target: string | null,
): VideoLesson[] {
  const taken = new Set([target, ...all.map((one) => one.target)]);
  return lessons.filter(({ uid }) => !taken.has(uid));
}

export type Uploads = ReturnType<typeof useUploads>;
export type { Job };

/** Requests the used storage again whenever a transfer or video starts, ends or is removed. */
function useStorageRefresh(all: readonly Transfer[], videos: readonly Video[]): void {
  const cache = useQueryClient();
  const states = [
    ...all.map(({ id, state, url }) => `${id}${state}${url === null ? "" : "+"}`),
    ...videos.map(({ uid, stage }) => `${uid}${stage}`),
  ].join();
  const before = useRef(states);
  useEffect(() => {
    if (before.current === states) return;
    before.current = states;
    void cache.invalidateQueries({ queryKey: storageQuery.queryKey });
    void cache.invalidateQueries({ queryKey: ["teaching"] });
  }, [cache, states]);
}

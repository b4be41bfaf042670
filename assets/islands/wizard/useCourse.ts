import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { ApiError } from "../../shared/api/errors";
import { openLiveSocket } from "../../shared/liveSocket";
import { mergeText } from "../../shared/saving/mergeText";
import { type Field, SaveQueue } from "../../shared/saving/saveQueue";
import { createUnsavedStore } from "../../shared/saving/unsavedStore";
import { CLIENT, fetchCourse, saveCourse, type Shown, type StudioCourse } from "./api";

/** Failures that pass by themselves: a lost connection, a server that is away or busy. */
const temporary = new Set([
  "NETWORK_OFFLINE",
  "NETWORK_FAILED",
  "NETWORK_TIMEOUT",
  "SERVER_ERROR",
  "RATE_LIMIT_EXCEEDED",
  "MAINTENANCE_MODE",
]);

const isTemporary = (reason: unknown): boolean =>
  !(reason instanceof ApiError) || temporary.has(reason.problem.code);

/** Someone else who has this course open. */
export type Author = { client: string; name: string; field: string; at: number };

const FORGET_AUTHOR_MS = 45_000;
const SAY_HERE_MS = 15_000;

export type EditedCourse = {
  fields: ReadonlyMap<string, Field>;
  set: (name: string, value: unknown) => void;
  resolve: (name: string, choice: "mine" | "theirs") => void;
  flush: () => void;
  shown: Shown;
  savedAt: number | null;
  failure: unknown;
  isUnsaved: boolean;
  others: readonly Author[];
  /** The user is in this field. */
  enter: (field: string) => void;
};

/** A course whose fields are saved while they are edited, here and elsewhere. */
export function useCourse(
  course: StudioCourse,
  user: string,
  onReplaced: (name: string, value: unknown) => void,
): EditedCourse {
  const { uid } = course;
  const [shown, setShown] = useState<Shown>(course);
  const [others, setOthers] = useState<readonly Author[]>([]);
  const here = useRef("");
  const replaced = useRef(onReplaced);
  useEffect(() => {
    replaced.current = onReplaced;
  }, [onReplaced]);

  const queue = useMemo(
    () =>
      new SaveQueue({
        saved: course.values,
        store: createUnsavedStore(user, uid),
        merge: mergeText,
        onReplaced: (name, value) => replaced.current(name, value),
        isTemporary,
        send: async (changes, isLeaving) => {
          const { outcomes, ...now } = await saveCourse(uid, changes, isLeaving);
          setShown(now);
          return outcomes;
        },
      }),
    // The course of this page: what is saved later comes through the queue.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [uid, user],
  );
  const fields = useSyncExternalStore(queue.subscribe, queue.fields);

  useEffect(() => {
    const onOnline = (): void => queue.flush();
    const onHide = (): void => {
      if (document.visibilityState === "hidden") queue.leave();
    };
    addEventListener("online", onOnline);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      removeEventListener("online", onOnline);
      document.removeEventListener("visibilitychange", onHide);
    };
  }, [queue]);

  useEffect(() => {
    let isOver = false;
    const update = async (): Promise<void> => {
      const now = await fetchCourse(uid);
      if (isOver) return;
      setShown(now);
      for (const [name, { value, version }] of Object.entries(now.values))
        queue.receive(name, { value, version, by: "", at: null });
    };
    const refresh = (): void => void update().catch(() => undefined); // the next message tries again
    const forget = (): void =>
      setOthers((known) => known.filter(({ at }) => Date.now() - at < FORGET_AUTHOR_MS));
    let isFirst = true;
    const send = openLiveSocket(`/ws/studio/${uid}/`, {
      onOpen: () => {
        if (!isFirst) refresh();
        isFirst = false;
        say();
      },
      onMessage: ({ type, client, by, field, target }) => {
        if (client === CLIENT) return;
        if (type === "edited" && target === uid) refresh();
        if (type === "here" && typeof client === "string") {
          const author = { client, name: String(by), field: String(field), at: Date.now() };
          setOthers((known) => [...known.filter((one) => one.client !== client), author]);
        }
      },
    });
    const say = (): void =>
      void send({ type: "here", client: CLIENT, target: uid, field: here.current });
    const timer = setInterval(() => {
      say();
      forget();
    }, SAY_HERE_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [queue, uid]);

  const enter = useCallback((field: string) => {
    here.current = field;
  }, []);
  return {
    fields,
    set: useCallback((name, value) => queue.set(name, value), [queue]),
    resolve: useCallback((name, choice) => queue.resolve(name, choice), [queue]),
    flush: useCallback(() => queue.flush(), [queue]),
    shown,
    savedAt: queue.savedAt,
    failure: queue.failure,
    isUnsaved: queue.isUnsaved,
    others,
    enter,
  };
}

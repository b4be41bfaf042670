import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { ApiError } from "../../shared/api/errors";
import { session } from "../../shared/auth/browser";
import { openLiveSocket } from "../../shared/liveSocket";
import { judge, waitOf } from "../../shared/saving/judge";
import { mergeText } from "../../shared/saving/mergeText";
import { type Field, SaveQueue } from "../../shared/saving/saveQueue";
import type { Unsaved, UnsavedStore } from "../../shared/saving/unsavedStore";
import { CLIENT, fetchCourse, saveCourse, type Shown, type StudioCourse } from "./api";

/** Someone else who has this course open. */
export type Author = { client: string; name: string; field: string; at: number };

const FORGET_AUTHOR_MS = 45_000;
const SAY_HERE_MS = 15_000;
const SAY_FIELD_MS = 1_200;

export type EditedCourse = {
  fields: ReadonlyMap<string, Field>;
  set: (name: string, value: unknown) => void;
  resolve: (name: string, choice: "mine" | "theirs") => void;
  /** Show what another author made of the field that the user is in. */
  show: (name: string) => void;
  flush: () => void;
  /** Ask the server for the course again. */
  refresh: () => void;
  now: StudioCourse;
  replace: (course: StudioCourse) => void;
  savedAt: number | null;
  failure: unknown;
  delay: unknown;
  isUnsaved: boolean;
  others: readonly Author[];
  /** The user is in this field; "": in none. */
  enter: (field: string) => void;
};

/** What the device kept, and where it keeps more. */
export type Kept = { store: UnsavedStore; kept: readonly Record<string, Unsaved>[] };

/** Values that are not saved yet, as the device keeps them: they come from those that the server has. */
export function unsavedOf(
  { values }: StudioCourse,
  typed: Record<string, unknown>,
): Record<string, Unsaved> {
  const at = Date.now();
  return Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]) => {
      const saved = values[name];
      return saved ? [[name, { value, base: saved.version, baseValue: saved.value, at }]] : [];
    }),
  );
}

/** A course whose fields are saved while they are edited, here and elsewhere. */
export function useCourse(
  course: StudioCourse,
  user: string,
  { store, kept }: Kept,
  typed: Record<string, unknown>,
): EditedCourse {
  const { uid } = course;
  const [now, setNow] = useState(course);
  const [others, setOthers] = useState<readonly Author[]>([]);
  const here = useRef("");
  const say = useRef<() => void>(() => undefined);

  const queue = useMemo(
    () =>
      new SaveQueue({
        saved: course.values,
        store,
        // What was typed before this was here is the newest of what this device has.
        kept: [...kept, unsavedOf(course, typed)],
        client: CLIENT,
        merge: mergeText,
        onReplaced: () => undefined, // fields show the values of the queue
        judge,
        waitOf,
        send: async (changes, isLeaving) => {
          const { outcomes, ...shown } = await saveCourse(uid, user, changes, isLeaving);
          setNow((before) => ({ ...before, ...(shown satisfies Shown) }));
          return outcomes;
        },
      }),
    // The course of this page: what is saved later comes through the queue.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [uid, user],
  );
  const fields = useSyncExternalStore(queue.subscribe, queue.fields);

  // One question at a time, or an old answer could come after a new one.
  const asking = useRef({ isRunning: false, isWanted: false });
  const refresh = useCallback(() => {
    const state = asking.current;
    state.isWanted = true;
    if (state.isRunning) return;
    state.isRunning = true;
    const ask = async (): Promise<void> => {
      while (state.isWanted) {
        state.isWanted = false;
        const asked = queue.mark();
        const found = await fetchCourse(uid);
        setNow(found);
        for (const [name, { edited_by: by, edited_at: at, ...saved }] of Object.entries(
          found.values,
        ))
          queue.receive(name, { ...saved, by, at }, asked);
      }
    };
    void ask()
      .catch(() => undefined) // the next message tries again
      .finally(() => {
        state.isRunning = false;
      });
  }, [queue, uid]);

  const { failure } = queue;
  useEffect(() => {
    // It may have been submitted, approved or deleted by somebody else.
    if (failure instanceof ApiError) refresh();
  }, [failure, refresh]);

  useEffect(() => {
    const flush = (): void => queue.flush();
    const onHide = (): void => {
      if (document.visibilityState === "hidden") queue.leave();
      else queue.flush();
    };
    const onShow = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) refresh(); // from the back/forward cache
    };
    const onUnload = (event: BeforeUnloadEvent): void => {
      const states = [...queue.fields().values()].map(({ state }) => state);
      if (states.includes("memory")) event.preventDefault();
    };
    const unsubscribe = session.subscribe(() => {
      if (session.isAuthenticated) queue.flush();
    });
    addEventListener("online", flush);
    addEventListener("pageshow", onShow);
    addEventListener("beforeunload", onUnload);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      unsubscribe();
      removeEventListener("online", flush);
      removeEventListener("pageshow", onShow);
      removeEventListener("beforeunload", onUnload);
      document.removeEventListener("visibilitychange", onHide);
    };
  }, [queue, refresh]);

  useEffect(() => {
    const ending = new AbortController();
    const send = openLiveSocket(`/ws/studio/${uid}/`, {
      signal: ending.signal,
      onOpen: () => {
        refresh(); // what was saved since the page was made, or while the socket was closed
        say.current();
      },
      onMessage: ({ type, client, by, field, target }) => {
        if (client === CLIENT) return;
        if (type === "edited" && target === uid) refresh();
        if (type === "here" && typeof client === "string") {
          const author = { client, name: String(by), field: String(field), at: performance.now() };
          setOthers((known) => [...known.filter((one) => one.client !== client), author]);
        }
      },
    });
    say.current = (): void =>
      void send({ type: "here", client: CLIENT, target: uid, field: here.current });
    const timer = setInterval(() => {
      say.current();
      setOthers((known) => known.filter(({ at }) => performance.now() - at < FORGET_AUTHOR_MS));
    }, SAY_HERE_MS);
    return () => {
      clearInterval(timer);
      say.current = () => undefined;
      ending.abort();
    };
  }, [refresh, uid]);

  const saying = useRef<ReturnType<typeof setTimeout>>(undefined);
  const enter = useCallback(
    (field: string) => {
      queue.focus(field);
      here.current = field;
      clearTimeout(saying.current);
      saying.current = setTimeout(() => say.current(), SAY_FIELD_MS);
    },
    [queue],
  );
  return {
    fields,
    set: useCallback((name, value) => queue.set(name, value), [queue]),
    resolve: useCallback((name, choice) => queue.resolve(name, choice), [queue]),
    show: useCallback((name) => queue.show(name), [queue]),
    flush: useCallback(() => queue.flush(), [queue]),
    refresh,
    now,
    replace: setNow,
    savedAt: queue.savedAt,
    failure,
    delay: queue.delay,
    isUnsaved: queue.isUnsaved,
    others,
    enter,
  };
}

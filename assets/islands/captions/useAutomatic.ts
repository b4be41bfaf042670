import { useCallback, useEffect, useRef, useState } from "react";

import { ApiError, toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import {
  type AutomaticKind,
  type AutomaticResult,
  cancelAutomatic,
  fetchAutomatic,
  listAutomatic,
} from "./api";

/** Milliseconds between two looks at how far it is. */
const LOOK_MS = 2_000;
/** Milliseconds until the next look after one that failed. */
const RETRY_MS = 6_000;
/** Results that this device remembers to have taken. */
const MAX_REMEMBERED = 50;
const TAKEN = "study.captions.taken";

export type Automatic = {
  /** What a model is working on; null: nothing. */
  work: { uid: string; percent: number } | null;
  /** What came back while the page was closed, and was not taken yet. */
  offered: AutomaticResult | null;
  /** Why it failed, as a sentence; empty: it did not. */
  failure: string;
  isStarting: boolean;
  start: (begin: () => Promise<{ uid: string }>) => Promise<void>;
  cancel: () => Promise<void>;
  take: () => void;
  dismiss: () => void;
};

/**
 * Captions that a model writes or translates. It continues while the page is closed: the next visit shows how far it is,
 * and offers what has come back meanwhile.
 * @param language of the result; "" for any; null turns it off
 * @param onEnd takes what has come back, also if it is not all; returns whether it could
 */
export function useAutomatic(
  video: string,
  kind: AutomaticKind,
  language: string | null,
  onEnd: (result: AutomaticResult) => boolean,
): Automatic {
  const [work, setWork] = useState<{ uid: string; percent: number } | null>(null);
  const [offered, setOffered] = useState<AutomaticResult | null>(null);
  const [failure, setFailure] = useState("");
  const [isStarting, setStarting] = useState(false);
  const ended = useRef(onEnd);
  ended.current = onEnd;

  const end = useCallback((result: AutomaticResult): void => {
    setWork(null);
    setFailure(result.state === "failed" ? result.failure_label : "");
    if (ended.current(result)) remember(result.uid);
  }, []);

  useEffect(() => {
    setWork(null);
    setOffered(null);
    setFailure("");
    if (language === null) return undefined;
    const asked = new AbortController();
    const look = async (): Promise<void> => {
      const rows = await listAutomatic(video);
      const mine = rows.find((row) => row.kind === kind && [row.language, ""].includes(language));
      if (!mine || asked.signal.aborted) return;
      if (mine.state === "waiting") setWork({ uid: mine.uid, percent: mine.percent });
      else if (kind === "translation" && !remembered().includes(mine.uid)) {
        const result = await fetchAutomatic(mine.uid);
        setOffered((before) => (asked.signal.aborted ? before : result));
      }
    };
    look().catch(() => undefined); // captions can be edited without it
    return () => asked.abort();
  }, [video, kind, language]);

  const uid = work?.uid;
  useEffect(() => {
    if (uid === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const look = async (): Promise<void> => {
      let wait = LOOK_MS;
      try {
        const result = await fetchAutomatic(uid);
        if (isOver) return;
        if (result.state !== "waiting") {
          end(result);
          return;
        }
        setWork({ uid, percent: result.percent });
      } catch (reason) {
        if (isOver) return;
        if (reason instanceof ApiError && reason.status === 404) {
          setWork(null);
          setFailure(reason.message);
          return;
        }
        wait = RETRY_MS;
      }
      timer = setTimeout(() => void look(), wait);
    };
    timer = setTimeout(() => void look(), LOOK_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [uid, end]);

  return {
    work,
    offered,
    failure,
    isStarting,
    start: async (begin) => {
      setStarting(true);
      setFailure("");
      setOffered(null);
      try {
        setWork({ uid: (await begin()).uid, percent: 0 });
      } catch (reason) {
        setFailure(toApiError(reason).message);
      } finally {
        setStarting(false);
      }
    },
    cancel: async () => {
      if (uid === undefined) return;
      try {
        await cancelAutomatic(uid);
        end(await fetchAutomatic(uid));
      } catch (reason) {
        setFailure(t("Not canceled. {reason}", { reason: toApiError(reason).message }));
      }
    },
    take: () => {
      if (offered) end(offered);
      setOffered(null);
    },
    dismiss: () => {
      if (offered) remember(offered.uid);
      setOffered(null);
      setFailure("");
    },
  };
}

function remembered(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(TAKEN) ?? "[]");
    return Array.isArray(found) ? found.map(String) : [];
  } catch {
    return []; // storage is off or unreadable
  }
}

function remember(uid: string): void {
  try {
    localStorage.setItem(TAKEN, JSON.stringify([...remembered(), uid].slice(-MAX_REMEMBERED)));
  } catch {
    // Then it is offered once more.
  }
}

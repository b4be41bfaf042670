import { useEffect, useState } from "react";

import { openUnsavedStore } from "../../shared/saving/unsavedStore";
import { fetchSheet, saveCues } from "./api";
import { Sheet } from "./sheet";

const targetOf = (lesson: string, language: string): string => `captions:${lesson}:${language}`;

type Opened = { language: string; sheet: Sheet | null; failure: unknown };

/** The captions of a language, with what this device kept of them; null while they load, or without a language. */
export function useSheet(
  lesson: string,
  language: string,
  author: string,
): { sheet: Sheet | null; failure: unknown; retry: () => void } {
  const [opened, setOpened] = useState<Opened>({ language: "", sheet: null, failure: null });
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    if (language === "") return undefined;
    let sheet: Sheet | null = null;
    let isOver = false;
    const open = async (): Promise<void> => {
      const [data, { store, kept }] = await Promise.all([
        fetchSheet(lesson, language),
        openUnsavedStore(author, targetOf(lesson, language)),
      ]);
      if (isOver) return;
      sheet = new Sheet({
        data,
        store,
        kept,
        author,
        send: (changes, isLeaving) => saveCues(lesson, language, changes, isLeaving),
        load: () => fetchSheet(lesson, language),
      });
      setOpened({ language, sheet, failure: null });
    };
    open().catch((failure: unknown) => {
      if (!isOver) setOpened({ language, sheet: null, failure });
    });
    const onHide = (): void => {
      if (document.visibilityState === "hidden") sheet?.leave();
      else void sheet?.catchUp().catch(() => undefined); // the next save learns it as well
    };
    const onOnline = (): void => void sheet?.flush();
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (sheet?.state().saving === "memory") event.preventDefault();
    };
    document.addEventListener("visibilitychange", onHide);
    addEventListener("online", onOnline);
    addEventListener("beforeunload", onUnload);
    return () => {
      isOver = true;
      sheet?.leave();
      sheet?.stop();
      document.removeEventListener("visibilitychange", onHide);
      removeEventListener("online", onOnline);
      removeEventListener("beforeunload", onUnload);
    };
  }, [lesson, language, author, attempt]);

  const isThis = opened.language === language && language !== "";
  return {
    sheet: isThis ? opened.sheet : null,
    failure: isThis ? opened.failure : null,
    retry: () => {
      setOpened({ language: "", sheet: null, failure: null });
      setAttempt((count) => count + 1);
    },
  };
}

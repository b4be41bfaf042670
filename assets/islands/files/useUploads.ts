import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";

import { announce } from "../../shared/announce";
import { makeError, toApiError } from "../../shared/api/errors";
import { bytes } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { pathOf } from "../../shared/uploads/paths";
import type { Transfer, Transfers } from "../../shared/uploads/transfers";
import type { Transport } from "../../shared/uploads/transport";
import { useGuardedLeaving } from "../../shared/uploads/useGuardedLeaving";
import type { Target } from "./changes";
import type { Conflict } from "./CollisionDialog";
import { takenNames, topName } from "./collisions";
import { targetOf } from "./uploads";

const REFRESH_MS = 500;

/** Files whose names are taken in the folder into which they are to go. */
export type Question = { files: File[]; names: string[]; into: Target };

export type Uploads = {
  all: readonly Transfer[];
  question: Question | null;
  take: (files: readonly File[], into: Target) => Promise<void>;
  answer: (conflict: Conflict | null) => void;
};

type Options = {
  transfers: Transfers;
  transportFor: (target: string | null) => Transport;
  /** Bytes per file. */
  limit: number;
  /** Called when files have arrived, of several in a row once. */
  onArrived: () => void;
};

/** The uploads of this page: which start, which must be asked about, and what has arrived. */
export function useUploads({ transfers, transportFor, limit, onArrived }: Options): Uploads {
  const all = useSyncExternalStore(transfers.subscribe, () => transfers.all);
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  useGuardedLeaving(transfers);

  const add = useCallback(
    async (files: readonly File[], into: Target, conflict?: Conflict): Promise<void> => {
      const target = targetOf(into.uid);
      for (const file of files) {
        const refusal =
          file.size > limit ? makeError("UPLOAD_FILE_TOO_LARGE", { limit: bytes(limit) }) : null;
        const previous = refusal ? null : transportFor(target).findPrevious(file);
        const url = (await previous?.catch(() => null)) ?? null;
        transfers.add(file, { target, url, refusal, ...(conflict && { conflict }) });
      }
    },
    [transfers, transportFor, limit],
  );

  const take = useCallback(
    async (files: readonly File[], into: Target): Promise<void> => {
      if (files.length === 0) return;
      announce(tn("{count} file was added.", "{count} files were added.", files.length));
      const nameOf = (file: File): string => topName(file.name, pathOf(file));
      let names: string[];
      try {
        names = await takenNames(into.uid, [...new Set(files.map(nameOf))]);
      } catch (thrown) {
        const { message } = toApiError(thrown);
        toast(t("Not uploaded. {reason}", { reason: message }), {
          icon: "circle-alert",
          stays: true,
        });
        return;
      }
      const isTaken = (file: File): boolean => names.includes(nameOf(file));
      const asked = files.filter(isTaken);
      if (asked.length > 0) setQuestions((before) => [...before, { files: asked, names, into }]);
      await add(
        files.filter((file) => !isTaken(file)),
        into,
      );
    },
    [add],
  );

  const answer = (conflict: Conflict | null): void => {
    const [question, ...others] = questions;
    setQuestions(others);
    if (question && conflict) void add(question.files, question.into, conflict);
  };

  // Show in the list what has arrived.
  const sent = all.filter(({ state }) => state === "sent").length;
  const known = useRef(0);
  const latest = useRef(onArrived);
  useEffect(() => {
    latest.current = onArrived;
  });
  useEffect(() => {
    const isMore = sent > known.current;
    known.current = sent;
    if (!isMore) return undefined;
    const timer = setTimeout(() => latest.current(), REFRESH_MS);
    return () => clearTimeout(timer);
  }, [sent]);

  // When nothing is left to do, the list alone shows the files.
  const isDone = sent > 0 && all.every(({ state }) => state === "sent" || state === "refused");
  useEffect(() => {
    if (!isDone) return;
    latest.current();
    toast(tn("{count} file was uploaded.", "{count} files were uploaded.", sent));
    for (const { id, state } of transfers.all) if (state === "sent") transfers.forget(id);
  }, [isDone, sent, transfers]);

  return { all, question: questions[0] ?? null, take, answer };
}

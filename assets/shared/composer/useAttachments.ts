import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";

import { announce } from "../announce";
import { makeError } from "../api/errors";
import { bytes } from "../format";
import { t, tn } from "../i18n";
import { toast } from "../toasts";
import type { Transfer, Transfers } from "../uploads/transfers";
import { useGuardedLeaving } from "../uploads/useGuardedLeaving";
import { labelOf } from "../editor/editing";
import type { Surface } from "../editor/surface";
import type { FileStore } from "./stores";

/** ".../uploads/<uid>/" → the uid. */
const uidOf = (url: string): string => url.split("/").filter(Boolean).at(-1) ?? "";

export type Attachments = {
  all: readonly Transfer[];
  take: (files: readonly File[]) => void;
  /** Upload a file that a part of the text shows already: that part is replaced. */
  upload: (file: File, placeholder: string) => void;
  cancel: (id: number) => void;
};

/** Replace the first occurrence of a text; the caret stays where it is in what the user writes. */
function replaceIn(surface: Surface, old: string, next: string): void {
  const at = surface.read().text.indexOf(old);
  if (at >= 0) surface.replace(at, at + old.length, next);
}

/** Uploads files and shows each in the text, first as a placeholder. */
export function useAttachments(
  surface: Surface,
  transfers: Transfers,
  limit: number,
  store: FileStore,
): Attachments {
  const all = useSyncExternalStore(transfers.subscribe, () => transfers.all);
  const placeholders = useRef(new Map<number, string>());
  useGuardedLeaving(transfers);

  const add = useCallback(
    (file: File): number | null => {
      let refusal = null;
      if (file.size === 0) refusal = makeError("FILE_EMPTY");
      else if (file.size > limit)
        refusal = makeError("UPLOAD_FILE_TOO_LARGE", { limit: bytes(limit) });
      const { id } = transfers.add(file, { target: store.target, refusal });
      if (!refusal) return id;
      announce(refusal.message, "assertive");
      return null;
    },
    [limit, store, transfers],
  );

  const upload = useCallback(
    (file: File, placeholder: string) => {
      const id = add(file);
      if (id === null) replaceIn(surface, placeholder, "");
      else placeholders.current.set(id, placeholder);
    },
    [add, surface],
  );

  const take = useCallback(
    (files: readonly File[]) => {
      if (files.length === 0) return;
      announce(tn("{count} file was added.", "{count} files were added.", files.length));
      for (const file of files) {
        const id = add(file);
        if (id === null) continue;
        const words = t("Uploading {name}", { name: labelOf(file.name) });
        const placeholder = `![${words} ${id}…]()`;
        placeholders.current.set(id, placeholder);
        const { text, start: from, end: to } = surface.read();
        const gap = from > 0 && !/\s/.test(text[from - 1] ?? "") ? " " : "";
        const after = from + gap.length + placeholder.length;
        surface.apply({ from, to, insert: gap + placeholder, start: after, end: after });
      }
    },
    [add, surface],
  );

  const end = useCallback(
    (id: number, markdown: string) => {
      const placeholder = placeholders.current.get(id);
      placeholders.current.delete(id);
      if (placeholder !== undefined) replaceIn(surface, placeholder, markdown);
    },
    [surface],
  );
  const placing = useRef(new Set<number>());

  useEffect(() => {
    for (const { id, state, url, file, error } of all) {
      if (state === "sent" && url !== null && !placing.current.has(id)) {
        placing.current.add(id);
        store.place(file, uidOf(url)).then(
          (markdown) => {
            end(id, markdown);
            announce(t("{name} was uploaded.", { name: file.name }));
            transfers.forget(id);
          },
          (reason: unknown) => {
            const words = reason instanceof Error ? reason.message : t("The file wasn't added.");
            end(id, "");
            announce(words, "assertive");
            toast(words);
            transfers.forget(id);
          },
        );
      } else if (state === "refused" && placeholders.current.has(id)) {
        end(id, "");
        announce(error?.message ?? "", "assertive");
      }
    }
  }, [all, end, store, transfers]);

  const cancel = useCallback(
    (id: number) => {
      end(id, "");
      void transfers.cancel(id).catch(() => transfers.forget(id));
    },
    [end, transfers],
  );

  return { all, take, upload, cancel };
}

import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";

import { announce } from "../../shared/announce";
import { makeError } from "../../shared/api/errors";
import { bytes } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import type { Transfer, Transfers } from "../../shared/uploads/transfers";
import { useGuardedLeaving } from "../../shared/uploads/useGuardedLeaving";
import { apply, labelOf, markdownOf } from "./editing";

/** Where the files go: the top of the writer's library, as `library_target` on the server. */
const LIBRARY = "library";

/** ".../uploads/<uid>/" → the uid. */
const uidOf = (url: string): string => url.split("/").filter(Boolean).at(-1) ?? "";

export type Attachments = {
  all: readonly Transfer[];
  take: (files: readonly File[]) => void;
  cancel: (id: number) => void;
};

/** Replace the first occurrence of a text; the caret stays where it is in what the user writes. */
function replaceIn(field: HTMLTextAreaElement, old: string, next: string): boolean {
  const at = field.value.indexOf(old);
  if (at < 0) return false;
  const { selectionStart, selectionEnd } = field;
  const moved = (place: number): number =>
    place >= at + old.length ? place + next.length - old.length : Math.min(place, at + next.length);
  field.setRangeText(next, at, at + old.length);
  field.setSelectionRange(moved(selectionStart), moved(selectionEnd));
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}

/** Uploads files into the writer's library and shows each in the text, first as a placeholder. */
export function useAttachments(
  field: HTMLTextAreaElement,
  transfers: Transfers,
  limit: number,
): Attachments {
  const all = useSyncExternalStore(transfers.subscribe, () => transfers.all);
  const placeholders = useRef(new Map<number, string>());
  useGuardedLeaving(transfers);

  const take = useCallback(
    (files: readonly File[]) => {
      if (files.length === 0) return;
      announce(tn("{count} file was added.", "{count} files were added.", files.length));
      for (const file of files) {
        let refusal = null;
        if (file.size === 0) refusal = makeError("FILE_EMPTY");
        else if (file.size > limit)
          refusal = makeError("UPLOAD_FILE_TOO_LARGE", { limit: bytes(limit) });
        const { id } = transfers.add(file, { target: LIBRARY, refusal });
        if (refusal) {
          announce(refusal.message, "assertive");
          continue;
        }
        const words = t("Uploading {name}", { name: labelOf(file.name) });
        const placeholder = `![${words} ${id}…]()`;
        placeholders.current.set(id, placeholder);
        const { value, selectionStart: from, selectionEnd: to } = field;
        const gap = from > 0 && !/\s/.test(value[from - 1] ?? "") ? " " : "";
        const after = from + gap.length + placeholder.length;
        apply(field, { from, to, insert: gap + placeholder, start: after, end: after });
      }
    },
    [field, limit, transfers],
  );

  const end = useCallback(
    (id: number, markdown: string) => {
      const placeholder = placeholders.current.get(id);
      placeholders.current.delete(id);
      if (placeholder !== undefined) replaceIn(field, placeholder, markdown);
    },
    [field],
  );

  useEffect(() => {
    for (const { id, state, url, file, error } of all) {
      if (state === "sent" && url !== null) {
        end(id, markdownOf(file, uidOf(url)));
        announce(t("{name} was uploaded.", { name: file.name }));
        transfers.forget(id);
      } else if (state === "refused" && placeholders.current.has(id)) {
        end(id, "");
        announce(error?.message ?? "", "assertive");
      }
    }
  }, [all, end, transfers]);

  const cancel = useCallback(
    (id: number) => {
      end(id, "");
      void transfers.cancel(id).catch(() => transfers.forget(id));
    },
    [end, transfers],
  );

  return { all, take, cancel };
}

import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";

import { announce } from "../announce";
import { makeError } from "../api/errors";
import { bytes } from "../format";
import { t, tn } from "../i18n";
import { toast } from "../toasts";
import type { Transfer, Transfers } from "../uploads/transfers";
import { useGuardedLeaving } from "../uploads/useGuardedLeaving";
import { labelOf } from "../editor/editing";
import { type Picture, readPicture, writePicture } from "../editor/pictures";
import type { Hold, Surface } from "../editor/surface";
import type { FileStore } from "./stores";

/** ".../uploads/<uid>/" → the uid. */
const uidOf = (url: string): string => url.split("/").filter(Boolean).at(-1) ?? "";

export type Attachments = {
  all: readonly Transfer[];
  /** Upload files to where the caret is. `asks`: of a single picture the user is asked what it shows. */
  take: (files: readonly File[], asks?: boolean) => void;
  /** Upload a picture for a place that is held. */
  upload: (file: File, hold: Hold, known: Partial<Picture>) => number | null;
  cancel: (id: number) => void;
};

/** A file on its way to its place in the text. */
type Coming = { hold: Hold; known: Partial<Picture> };

const isPicture = ({ type }: File): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(type);

/** Say what a picture shows that is in the text already. */
function describeIn(surface: Surface, undescribed: string, picture: Picture): void {
  const at = surface.read().text.indexOf(undescribed);
  if (at >= 0) surface.replace(at, at + undescribed.length, writePicture(picture));
}

/** Uploads files and shows each in the text, first as a placeholder. */
export function useAttachments(
  surface: Surface,
  transfers: Transfers,
  limit: number,
  store: FileStore,
): Attachments {
  const all = useSyncExternalStore(transfers.subscribe, () => transfers.all);
  const coming = useRef(new Map<number, Coming>());
  /** The address of each picture that this page has put into the text. */
  const placed = useRef(new Map<number, string>());
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
    (file: File, hold: Hold, known: Partial<Picture>) => {
      const id = add(file);
      if (id === null) hold.release();
      else coming.current.set(id, { hold, known });
      return id;
    },
    [add],
  );

  const ask = useCallback(
    async (id: number, file: File) => {
      const answer = await surface.live?.describePicture(file);
      surface.focus();
      if (!answer) return;
      const one = coming.current.get(id);
      if (one) one.known = answer;
      const address = placed.current.get(id);
      if (address === undefined) return;
      const nothing = { address, alt: "", caption: "", isDecorative: false, width: null };
      describeIn(surface, writePicture(nothing), { ...answer, address });
    },
    [surface],
  );

  const take = useCallback(
    (files: readonly File[], asks = false) => {
      if (files.length === 0) return;
      announce(tn("{count} file was added.", "{count} files were added.", files.length));
      for (const file of files) {
        const words = t("Uploading {name}", { name: labelOf(file.name) });
        const id = upload(file, surface.hold(words), {});
        if (asks && surface.live && id !== null && files.length === 1 && isPicture(file))
          void ask(id, file);
        else surface.focus();
      }
    },
    [ask, surface, upload],
  );

  const end = useCallback((id: number, markdown: string, isShown: boolean) => {
    const one = coming.current.get(id);
    coming.current.delete(id);
    if (markdown === "") one?.hold.release();
    else one?.hold.fill(markdown, isShown);
  }, []);
  const placing = useRef(new Set<number>());

  useEffect(() => {
    for (const { id, state, url, file, error } of all) {
      if (state === "sent" && url !== null && !placing.current.has(id)) {
        placing.current.add(id);
        const known = coming.current.get(id)?.known ?? {};
        store.place(file, uidOf(url), known).then(
          (kept) => {
            const picture = readPicture(kept.markdown);
            if (picture) placed.current.set(id, picture.address);
            const since = coming.current.get(id)?.known;
            const isDescribed = picture && since && since !== known;
            end(
              id,
              isDescribed
                ? writePicture({ ...picture, ...since, address: picture.address })
                : kept.markdown,
              kept.isPicture,
            );
            announce(t("{name} was uploaded.", { name: file.name }));
            transfers.forget(id);
          },
          (reason: unknown) => {
            const words = reason instanceof Error ? reason.message : t("The file wasn't added.");
            end(id, "", false);
            announce(words, "assertive");
            toast(words);
            transfers.forget(id);
          },
        );
      } else if (state === "refused" && coming.current.has(id)) {
        end(id, "", false);
        announce(error?.message ?? "", "assertive");
      }
    }
  }, [all, end, store, transfers]);

  const cancel = useCallback(
    (id: number) => {
      end(id, "", false);
      void transfers.cancel(id).catch(() => transfers.forget(id));
    },
    [end, transfers],
  );

  return { all, take, upload, cancel };
}

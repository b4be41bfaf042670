import { useEffect, useState } from "react";

import { createPlainSurface, type Surface } from "../editor/surface";
import { t } from "../i18n";
import { toast } from "../toasts";
import { whenIdle } from "../whenIdle";
import type { WritingPlace } from "./stores";

/** The dialog of pictures; null if it could not be fetched, which is said. */
const loadDialog = () =>
  import("./editPicture").catch(() => {
    toast(t("The dialog could not be loaded. Check your connection, then try again."));
    return null;
  });

/**
 * Where the text of a textarea is written: texts of courses in the live editor, which is loaded then; until it is
 * there, and wherever it can't be loaded, in the textarea.
 * @param nonce of the page's styles, for those that the live editor adds
 */
export function useSurface(
  field: HTMLTextAreaElement,
  writing: WritingPlace,
  isLive: boolean,
  nonce: string,
): Surface {
  const [surface, setSurface] = useState<Surface>(() => createPlainSurface(field));
  useEffect(() => {
    if (!isLive) return undefined;
    let isOver = false;
    let destroy: (() => void) | undefined;
    const start = (): void => {
      import("../editor/liveSurface").then(
        ({ createLiveSurface }) => {
          if (isOver) return;
          const live = createLiveSurface(field, {
            nonce,
            editPicture: (...picture) =>
              void loadDialog().then((dialog) => dialog?.editPicture(...picture)),
            describePicture: async (file) => (await loadDialog())?.describePicture(file) ?? null,
            isPhrasing: writing.isPhrasing,
            isOwnPicture: writing.isOwnPicture,
            renderPiece: (source) => writing.preview(source),
          });
          destroy = live.destroy;
          setSurface(live);
          whenIdle(() => void import("./editPicture").catch(() => undefined));
        },
        () => {
          // The textarea does until the device is online again.
          if (!isOver) addEventListener("online", start, { once: true });
        },
      );
    };
    start();
    return () => {
      isOver = true;
      removeEventListener("online", start);
      destroy?.();
    };
  }, [field, isLive, nonce, writing]);
  return surface;
}

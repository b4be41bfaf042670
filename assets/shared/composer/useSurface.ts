import { useEffect, useState } from "react";

import { createPlainSurface, type Surface } from "../editor/surface";
import type { WritingPlace } from "./stores";

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
    Promise.all([import("../editor/liveSurface"), import("./editPicture")]).then(
      ([{ createLiveSurface }, { describePicture, editPicture }]) => {
        if (isOver) return;
        const live = createLiveSurface(field, {
          nonce,
          editPicture,
          describePicture,
          isPhrasing: writing.isPhrasing,
          isOwnPicture: writing.isOwnPicture,
          renderPiece: (source) => writing.preview(source),
        });
        destroy = live.destroy;
        setSurface(live);
      },
      () => undefined, // offline: the textarea does
    );
    return () => {
      isOver = true;
      destroy?.();
    };
  }, [field, isLive, nonce, writing]);
  return surface;
}

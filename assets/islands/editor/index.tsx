import { useEffect, useState } from "react";

import { createPlainSurface, type Surface } from "../../shared/editor/surface";
import { tusTransport } from "../../shared/uploads/tusTransport";
import { Transfers } from "../../shared/uploads/transfers";
import { Editor, type EditorProps } from "./Editor";
import { findPlace } from "./place";
import { createCoursePlace } from "./coursePlace";
import { forumPlace } from "./stores";

type Props = Omit<EditorProps, "transfers" | "surface" | "writing"> & {
  /** The tus endpoint. */
  endpoint: string;
  /** The course whose text it is, and its place in the content format; without it, a text of the forum. */
  course?: Parameters<typeof createCoursePlace>[0] | undefined;
  /** Of the page's styles, for those that the live editor adds. */
  nonce?: string | undefined;
};

/** The parts of the form around the mount point, before the toolbar takes its place. */
export function readServerForm(spot: HTMLElement, props: Props): void {
  props.place = findPlace(spot);
  props.place.count.replaceChildren();
  props.pressed = spot.dataset.start;
}

/**
 * Adds to a textarea of the page what scripts can. The form works without it. Texts of courses are written in the live
 * editor, which is loaded then; until it is there, and wherever it cannot be loaded, in the textarea.
 */
export function Island({ endpoint, course, nonce = "", ...props }: Props) {
  const { field } = props.place;
  const [writing] = useState(() => (course ? createCoursePlace(course) : forumPlace));
  const [transfers] = useState(
    () => new Transfers(tusTransport(endpoint, "file", writing.store.target)),
  );
  const [surface, setSurface] = useState<Surface>(() => createPlainSurface(field));
  const isLive = course !== undefined;

  useEffect(() => {
    if (!isLive) return undefined;
    let isOver = false;
    let destroy: (() => void) | undefined;
    Promise.all([import("../../shared/editor/liveSurface"), import("./editPicture")]).then(
      ([{ createLiveSurface }, { editPicture }]) => {
        if (isOver) return;
        const live = createLiveSurface(field, {
          nonce,
          editPicture,
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

  return <Editor {...props} surface={surface} writing={writing} transfers={transfers} />;
}

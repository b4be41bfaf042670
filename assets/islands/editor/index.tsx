import { useState } from "react";

import { type ContentProps, createCoursePlace } from "../../shared/composer/coursePlace";
import { DraftNotice } from "../../shared/composer/DraftNotice";
import { Editor, type EditorProps } from "../../shared/composer/Editor";
import { findPlace } from "../../shared/composer/place";
import { forumPlace } from "../../shared/composer/stores";
import { useSurface } from "../../shared/composer/useSurface";
import { openLine } from "../../shared/openLine";
import { tusTransportOnDemand } from "../../shared/uploads/tusTransportOnDemand";
import { Transfers } from "../../shared/uploads/transfers";

type Props = Omit<EditorProps, "transfers" | "surface" | "writing" | "drafts"> & {
  /** The key of the draft on the server: "topic-42"; null: this device alone keeps it. */
  draft: string | null;
  /** The tus endpoint. */
  endpoint: string;
  /** The course whose text it is, and its place in the content format; without it, a text of the forum. */
  course?: ContentProps["course"] | undefined;
  /** Of the page's styles, for those that the live editor adds. */
  nonce?: string | undefined;
};

/** The parts of the form around the mount point, before the toolbar takes its place. */
export function readServerForm(spot: HTMLElement, props: Props): void {
  props.place = findPlace(spot);
  props.place.count.replaceChildren();
  props.pressed = spot.dataset.start;
  openLine(props.place.field);
}

/** Adds to a textarea of the page what scripts can. The form works without it. */
export function Island({ endpoint, course, nonce = "", draft, ...props }: Props) {
  const [writing] = useState(() => (course ? createCoursePlace(course) : forumPlace));
  const [transfers] = useState(
    () => new Transfers(tusTransportOnDemand(endpoint, "file", writing.store.target)),
  );
  const surface = useSurface(props.place.field, writing, course !== undefined, nonce);
  return (
    <Editor
      {...props}
      surface={surface}
      writing={writing}
      transfers={transfers}
      drafts={<DraftNotice place={props.place} surface={surface} draftKey={draft} />}
    />
  );
}

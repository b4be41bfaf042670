import { type RefObject, useEffect, useState } from "react";

import type { Surface } from "../editor/surface";
import { tusTransportOnDemand } from "../uploads/tusTransportOnDemand";
import { Transfers } from "../uploads/transfers";
import { type ContentProps, createCoursePlace } from "./coursePlace";
import { Editor } from "./Editor";
import type { Place } from "./place";
import { useSurface } from "./useSurface";

type Props = {
  content: ContentProps;
  place: Place;
  /** Set to where the text is written now. */
  surfaceRef?: RefObject<Surface | null>;
  isLine?: boolean;
};

/** The editor of a text of a course within another island, fetched when someone begins to write. */
export function CourseWriting({ content, place, surfaceRef, isLine = false }: Props) {
  const { course, endpoint, limit, most, nonce } = content;
  const [writing] = useState(() => createCoursePlace(course));
  const [transfers] = useState(
    () => new Transfers(tusTransportOnDemand(endpoint, "file", writing.store.target)),
  );
  const surface = useSurface(place.field, writing, true, nonce);
  useEffect(() => {
    if (!surfaceRef) return undefined;
    surfaceRef.current = surface;
    return () => {
      surfaceRef.current = null;
    };
  }, [surface, surfaceRef]);
  return (
    <Editor
      place={place}
      surface={surface}
      writing={writing}
      most={most}
      limit={limit}
      topic={null}
      transfers={transfers}
      isLine={isLine}
    />
  );
}

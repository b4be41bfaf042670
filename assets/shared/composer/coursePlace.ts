/** Writing texts of a course: pictures and files are kept with the course. */
import { authenticatedApi, unwrap } from "../api/client";
import type { components } from "../api/schema.gen";
import { labelOf } from "../editor/editing";
import { writePicture } from "../editor/pictures";
import type { WritingPlace } from "./stores";

/** Where in the content format a text stands. */
export type ContentPlace = components["schemas"]["ContentPreviewInRequest"]["place"];

/** What the template function `content_props` says of a text of a course (apps/courses/components.py). */
export type ContentProps = {
  course: { slug: string; place: ContentPlace };
  /** Code points; null: no limit of its own. */
  most: number | null;
  /** Bytes per file. */
  limit: number;
  /** The tus endpoint. */
  endpoint: string;
  /** Of the page's styles, for those that the live editor adds. */
  nonce: string;
};

const COURSE_FILES = "/course-files/";

export function createCoursePlace({ slug, place }: ContentProps["course"]): WritingPlace {
  return {
    store: {
      target: "library",
      place: async (file, upload, known) => {
        const kept = await unwrap(
          authenticatedApi.POST("/api/v1/courses/{slug}/files/", {
            params: { path: { slug } },
            body: { upload },
          }),
        );
        if (!kept.is_picture)
          return { markdown: `[${labelOf(file.name)}](${kept.href})`, isPicture: false };
        // Without an alternative text the editor asks for it, and the checker reports it.
        const nothing = { alt: "", caption: "", isDecorative: false, width: null };
        return {
          markdown: writePicture({ ...nothing, ...known, address: kept.href }),
          isPicture: true,
        };
      },
    },
    preview: async (text, signal) => {
      const { html } = await unwrap(
        authenticatedApi.POST("/api/v1/content/preview/", {
          body: { place, text, course: slug },
          ...(signal && { signal }),
        }),
      );
      return html;
    },
    triggers: ["block"],
    isPhrasing: place === "choice",
    isOwnPicture: (address) => address.startsWith(COURSE_FILES),
    convert: async (html) => {
      const { markdown, pictures } = await unwrap(
        authenticatedApi.POST("/api/v1/content/convert/", { body: { html } }),
      );
      return { markdown, pictures };
    },
  };
}

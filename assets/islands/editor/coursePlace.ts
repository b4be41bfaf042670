/** Writing texts of a course: pictures and files are kept with the course. */
import { authenticatedApi, unwrap } from "../../shared/api/client";
import { labelOf } from "../../shared/editor/editing";
import { writePicture } from "../../shared/editor/pictures";
import type { components } from "../../shared/api/schema.gen";
import type { WritingPlace } from "./stores";

type PlaceName = components["schemas"]["PlaceEnum"];

const COURSE_FILES = "/course-files/";

/** @param place in the content format */
export function createCoursePlace({
  slug,
  place,
}: {
  slug: string;
  place: PlaceName;
}): WritingPlace {
  return {
    store: {
      target: "library",
      place: async (file, upload) => {
        const kept = await unwrap(
          authenticatedApi.POST("/api/v1/courses/{slug}/files/", {
            params: { path: { slug } },
            body: { upload },
          }),
        );
        const name = labelOf(file.name);
        if (!kept.is_picture) return `[${name}](${kept.href})`;
        // No alternative text yet: the editor asks for it, and the checker reports it.
        return writePicture({
          address: kept.href,
          alt: "",
          caption: "",
          isDecorative: false,
          width: null,
        });
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
    isOwnPicture: (address) => address.startsWith(COURSE_FILES),
    convert: async (html) => {
      const { markdown, pictures } = await unwrap(
        authenticatedApi.POST("/api/v1/content/convert/", { body: { html } }),
      );
      return { markdown, pictures };
    },
  };
}

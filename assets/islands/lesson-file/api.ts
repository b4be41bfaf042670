/** API calls of this island. */
import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";

export type FileLesson = components["schemas"]["FileLesson"];

/** Attach a complete upload to the lesson; null removes the file. */
export function setLessonFile(lesson: string, upload: string | null): Promise<FileLesson> {
  return unwrap(
    authenticatedApi.PUT("/api/v1/lessons/{uid}/file/", {
      params: { path: { uid: lesson } },
      body: { upload },
    }),
  );
}

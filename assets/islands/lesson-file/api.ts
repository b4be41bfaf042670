/** Calls of this island. */
import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";

export type FileLesson = components["schemas"]["FileLesson"];

/** Let the lesson hand out an upload that has arrived whole, or nothing. */
export function handOut(lesson: string, upload: string | null): Promise<FileLesson> {
  return unwrap(
    authenticatedApi.PUT("/api/v1/lessons/{uid}/file/", {
      params: { path: { uid: lesson } },
      body: { upload },
    }),
  );
}

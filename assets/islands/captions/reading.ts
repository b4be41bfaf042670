/** Reading caption files: fetched with the dialog that asks for one. */
import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import type { Cue } from "./cues";

export type Reading = Omit<components["schemas"]["CaptionReadingOut"], "cues"> & { cues: Cue[] };

/** What a caption file says; nothing is saved. @param encoding "" to recognize it */
export function readFile(
  uid: string,
  language: string,
  file: File,
  encoding: string,
): Promise<Reading> {
  const form = new FormData();
  form.append("file", file);
  if (encoding !== "") form.append("encoding", encoding);
  return unwrap(
    authenticatedApi.POST("/api/v1/studio/lessons/{uid}/captions/{language}/reading/", {
      params: { path: { uid, language } },
      // The type of the body is that of JSON; a file is sent as a form.
      body: form as never,
      bodySerializer: (body: unknown) => body as FormData,
    }),
  ) as Promise<Reading>;
}

/** API calls of the preview of a question. */
import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import type { Answer } from "../../shared/questions/state";

export type Preview = components["schemas"]["QuestionPreviewOut"];
export type Marked = components["schemas"]["QuestionPreviewMarked"];

export function previewQuestion(course: string, form: string): Promise<Preview> {
  return unwrap(
    authenticatedApi.POST("/api/v1/studio/question-previews/", { body: { course, form } }),
  );
}

export function markAnswer(draft: string, answer: Answer | null): Promise<Marked> {
  return unwrap(
    authenticatedApi.POST("/api/v1/studio/question-previews/mark/", { body: { draft, answer } }),
  );
}

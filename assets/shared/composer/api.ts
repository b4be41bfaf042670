/** API calls of this island. */
import { authenticatedApi, reach, unwrap } from "../api/client";
import type { components } from "../api/schema.gen";
import type { Draft } from "./drafts";

export type Person = components["schemas"]["ForumUserOut"];
export type TopicLink = components["schemas"]["ForumTopicLinkOut"];

/** The HTML that the text will have. Sanitized by the server. */
export async function fetchPreview(source: string, signal?: AbortSignal): Promise<string> {
  const { html } = await unwrap(
    authenticatedApi.POST("/api/v1/forum/preview/", {
      body: { source },
      ...(signal && { signal }),
    }),
  );
  return html;
}

/** People to mention: those of the topic first. */
export function fetchPeople(
  q: string,
  topic: number | null,
  signal: AbortSignal,
): Promise<Person[]> {
  const query = { q, ...(topic !== null && { topic }) };
  return unwrap(
    authenticatedApi.GET("/api/v1/forum/people/", { params: { query }, signal, fetch: reach }),
  );
}

/** Topics that the user may read, by the words of their titles. */
export function fetchTopics(q: string, signal: AbortSignal): Promise<TopicLink[]> {
  return unwrap(
    authenticatedApi.GET("/api/v1/forum/topics/", {
      params: { query: { q } },
      signal,
      fetch: reach,
    }),
  );
}

/** The draft that the server keeps; null if there is none. */
export async function fetchDraft(key: string): Promise<Draft | null> {
  const answer = await unwrap(
    authenticatedApi.GET("/api/v1/forum/drafts/{key}/", {
      params: { path: { key } },
      fetch: reach,
    }),
  );
  if (answer.saved_at === null) return null;
  const { source, values: fields } = answer;
  return { source, fields, at: Date.parse(answer.saved_at) };
}

export async function saveDraft(
  key: string,
  { source, fields, at }: Draft,
  keepalive = false,
): Promise<void> {
  await unwrap(
    authenticatedApi.PUT("/api/v1/forum/drafts/{key}/", {
      params: { path: { key } },
      body: { source, values: fields, written_at: new Date(at).toISOString() },
      fetch: reach,
      keepalive,
    }),
  );
}

export async function deleteDraft(key: string): Promise<void> {
  await unwrap(
    authenticatedApi.DELETE("/api/v1/forum/drafts/{key}/", {
      params: { path: { key } },
      fetch: reach,
    }),
  );
}

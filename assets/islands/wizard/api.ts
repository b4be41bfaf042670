/** API calls of this island. */
import { authenticatedApi, reach, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import { newUid } from "../../shared/newUid";
import type { Change, Outcome } from "../../shared/saving/saveQueue";

type Schemas = components["schemas"];
export type StudioCourse = Schemas["StudioCourse"];
export type Check = Schemas["ReadinessCheck"];
export type Outline = Schemas["AuthoredOutline"];
export type Shown = Pick<StudioCourse, "checks" | "card_html">;

/** Names this tab, so that it is not told of its own changes. */
export const CLIENT = newUid();

export function createCourse(title: string, subject: string | undefined): Promise<StudioCourse> {
  return unwrap(
    authenticatedApi.POST("/api/v1/studio/courses/", {
      body: { title, ...(subject !== undefined && { subject }) },
    }),
  );
}

export function fetchCourse(uid: string): Promise<StudioCourse> {
  return unwrap(
    authenticatedApi.GET("/api/v1/studio/courses/{uid}/", {
      params: { path: { uid } },
      fetch: reach,
    }),
  );
}

export async function saveCourse(
  uid: string,
  fields: Record<string, Change>,
  keepalive: boolean,
): Promise<Shown & { outcomes: readonly Outcome[] }> {
  return unwrap(
    authenticatedApi.PATCH("/api/v1/studio/courses/{uid}/", {
      params: { path: { uid } },
      body: { client: CLIENT, fields },
      keepalive,
    }),
  );
}

export function submitCourse(uid: string, note: string): Promise<StudioCourse> {
  return unwrap(
    authenticatedApi.POST("/api/v1/studio/courses/{uid}/submit/", {
      params: { path: { uid } },
      body: { note },
    }),
  );
}

export function fetchOutline(slug: string): Promise<Outline> {
  return unwrap(
    authenticatedApi.GET("/api/v1/courses/{slug}/lessons/", { params: { path: { slug } } }),
  );
}

export function addSection(slug: string, title: string): Promise<Outline> {
  return unwrap(
    authenticatedApi.POST("/api/v1/courses/{slug}/sections/", {
      params: { path: { slug } },
      body: { title },
    }),
  );
}

export function addLesson(
  slug: string,
  section: string,
  kind: Schemas["AuthoredLesson"]["kind"],
  title: string,
): Promise<Outline> {
  return unwrap(
    authenticatedApi.POST("/api/v1/courses/{slug}/lessons/", {
      params: { path: { slug } },
      body: { section, kind, title },
    }),
  );
}

/** API calls of this island. */
import { authenticatedApi, reach, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import { newUid } from "../../shared/newUid";
import type { Change, Outcome } from "../../shared/saving/saveQueue";

type Schemas = components["schemas"];
export type StudioCourse = Schemas["StudioCourse"];
export type Check = Schemas["ReadinessCheck"];
export type Outline = Schemas["AuthoredOutline"];
export type Picture = NonNullable<Schemas["PictureOfCourse"]["picture"]>;
export type PromoCode = Schemas["PromoCodeOut"];
export type NewPromoCode = Schemas["PromoCodeInRequest"];
export type Shown = Pick<StudioCourse, "checks" | "card_html">;

/** What may be uploaded as a picture. */
export type UploadRules = {
  /** The tus endpoint. */
  endpoint: string;
  /** Bytes. */
  limit: number;
  maxZoom: number;
};

/** Names this tab, so that it is not told of its own changes. */
export const CLIENT = newUid();

export function createCourse(body: {
  uid: string;
  author: string;
  title: string;
  subject: string;
}): Promise<StudioCourse> {
  return unwrap(authenticatedApi.POST("/api/v1/studio/courses/", { body }));
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
  author: string,
  fields: Record<string, Change>,
  keepalive: boolean,
): Promise<Shown & { outcomes: readonly Outcome[] }> {
  return unwrap(
    authenticatedApi.PATCH("/api/v1/studio/courses/{uid}/", {
      params: { path: { uid } },
      body: { author, client: CLIENT, fields },
      keepalive,
      fetch: reach, // how the save is going is said beside the title
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

export function withdrawCourse(uid: string): Promise<StudioCourse> {
  return unwrap(
    authenticatedApi.POST("/api/v1/studio/courses/{uid}/withdraw/", { params: { path: { uid } } }),
  );
}

export async function fetchPlates(uid: string): Promise<readonly string[]> {
  const { plates } = await unwrap(
    authenticatedApi.GET("/api/v1/studio/courses/{uid}/plates/", { params: { path: { uid } } }),
  );
  return plates;
}

export async function fetchPicture(slug: string): Promise<Picture | null> {
  const { picture } = await unwrap(
    authenticatedApi.GET("/api/v1/courses/{slug}/picture/", { params: { path: { slug } } }),
  );
  return picture;
}

/** A crop of 16:9: its place between the edges (0 to 1), and how much it is enlarged. */
export type Crop = { x: number; y: number; zoom: number };

export async function savePicture(
  slug: string,
  { alt, upload, ...crop }: Crop & { alt: string; upload: string | null },
): Promise<Picture | null> {
  const { picture } = await unwrap(
    authenticatedApi.PUT("/api/v1/courses/{slug}/picture/", {
      params: { path: { slug } },
      body: { alt, ...crop, ...(upload !== null && { upload }) },
    }),
  );
  return picture;
}

export async function removePicture(slug: string): Promise<void> {
  await unwrap(
    authenticatedApi.DELETE("/api/v1/courses/{slug}/picture/", { params: { path: { slug } } }),
  );
}

export async function fetchPromoCodes(slug: string): Promise<readonly PromoCode[]> {
  const { results } = await unwrap(
    authenticatedApi.GET("/api/v1/billing/courses/{slug}/promo-codes/", {
      params: { path: { slug } },
    }),
  );
  return results;
}

export function addPromoCode(slug: string, body: NewPromoCode): Promise<PromoCode> {
  return unwrap(
    authenticatedApi.POST("/api/v1/billing/courses/{slug}/promo-codes/", {
      params: { path: { slug } },
      body,
    }),
  );
}

export function endPromoCode(uid: string): Promise<PromoCode> {
  return unwrap(
    authenticatedApi.POST("/api/v1/billing/promo-codes/{uid}/end/", { params: { path: { uid } } }),
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

/** API calls of pages about offline lessons. */
import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import type { StorableCourse } from "../types";

export type Device = components["schemas"]["OfflineDeviceOut"];

/** The lessons of a course with their sizes. */
export function fetchCourse(slug: string): Promise<StorableCourse> {
  return unwrap(
    authenticatedApi.GET("/api/v1/offline/courses/{slug}/", { params: { path: { slug } } }),
  );
}

/** All of the account: they fit one page. */
export async function fetchDevices(): Promise<Device[]> {
  const { results } = await unwrap(authenticatedApi.GET("/api/v1/offline/devices/"));
  return results;
}

export async function removeDevice(uid: string): Promise<void> {
  await unwrap(
    authenticatedApi.DELETE("/api/v1/offline/devices/{uid}/", { params: { path: { uid } } }),
  );
}

import { authenticatedApi, unwrap } from "../shared/api/client";
import type { Account, LessonPackage, Quality } from "./types";

/** Ask the server for what is to be stored of a lesson. Throws an ApiError. */
export function requestPackage(
  account: Account,
  uid: string,
  quality: string,
): Promise<LessonPackage> {
  const path = { uid: account.device, lesson: uid };
  // Lessons without a video have none; the server ignores it.
  const body = { quality: (quality || "720p") as Quality };
  return unwrap(
    authenticatedApi.POST("/api/v1/offline/devices/{uid}/lessons/{lesson}/", {
      params: { path },
      body,
    }),
  );
}

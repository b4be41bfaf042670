import { authenticatedApi, unwrap } from "../../shared/api/client";

/** Mark the lesson as complete. */
export const complete = (uid: string) =>
  unwrap(authenticatedApi.POST("/api/v1/lessons/{uid}/complete/", { params: { path: { uid } } }));

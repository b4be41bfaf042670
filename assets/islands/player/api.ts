/** API calls of the player. They use `reach`, without the message about slow responses, as nobody waits for them. */
import { queryOptions } from "@tanstack/react-query";

import { api, authenticatedApi, reach, unwrap } from "../../shared/api/client";
import { ApiError } from "../../shared/api/errors";
import type { components } from "../../shared/api/schema.gen";
import type { Post } from "./engine/progress";

/** A video of another site. */
export type External = components["schemas"]["ExternalOut"];
export type PlayerProps = components["schemas"]["PlayerOut"] & {
  /** Set by the page of the audio player (`/audio-fallback`). */
  is_listening?: boolean;
};
export type LessonLink = components["schemas"]["LessonLink"] & {
  /** Why it can't be opened, beside that it is locked (assets/offline/shell). */
  note?: string;
};
export type Outline = components["schemas"]["OutlineOut"];

/** The address of another lesson. From the audio player, a video opens in the audio player. */
export function addressOf(
  { uid, url, kind }: Pick<LessonLink, "uid" | "url" | "kind">,
  isAudioOnly: boolean,
): string {
  return isAudioOnly && kind === "video" ? `/audio-fallback?lesson=${uid}` : url;
}

export function fetchPlayer(uid: string): Promise<PlayerProps> {
  return unwrap(
    api.GET("/api/v1/lessons/{uid}/player/", { params: { path: { uid } }, fetch: reach }),
  );
}

/** How often a video that is still being processed is requested again. */
const POLL_MS = 10_000;

export const playerQuery = (props: PlayerProps) =>
  queryOptions({
    queryKey: ["player", props.uid],
    queryFn: () => fetchPlayer(props.uid),
    initialData: props,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.is_processing ? POLL_MS : false),
  });

export function fetchOutline(slug: string): Promise<Outline> {
  return unwrap(
    api.GET("/api/v1/courses/{slug}/outline/", { params: { path: { slug } }, fetch: reach }),
  );
}

export const postProgress: Post = (uid, progress, { isLeaving }) =>
  unwrap(
    authenticatedApi.POST("/api/v1/lessons/{uid}/progress/", {
      params: { path: { uid } },
      body: progress,
      keepalive: isLeaving,
      fetch: reach,
    }),
  );

/** Whether a failed call may succeed later: no response, a server error, or a status that asks to try again. */
export function isTemporary(reason: unknown): boolean {
  if (!(reason instanceof ApiError)) return true;
  return reason.status === 0 || reason.status >= 500 || [401, 408, 429].includes(reason.status);
}

/** API calls and queries of the uploader. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";

export type Video = components["schemas"]["VideoOut"];
export type VideoLesson = components["schemas"]["VideoLesson"];
export type Storage = components["schemas"]["StorageOut"];

export const videosQuery = queryOptions({
  queryKey: ["videos"],
  queryFn: () =>
    unwrap(authenticatedApi.GET("/api/v1/videos/", { params: { query: { page_size: 100 } } })).then(
      (page) => page.results as Video[],
    ),
});

export const storageQuery = queryOptions({
  queryKey: ["storage"],
  queryFn: () => unwrap(authenticatedApi.GET("/api/v1/storage/")),
});

/** The lessons that show these videos. */
export function lessonsOfVideos(videos: string[]) {
  return queryOptions({
    queryKey: ["teaching", "lessons", "of", ...videos],
    queryFn: () =>
      videos.length === 0
        ? Promise.resolve<VideoLesson[]>([])
        : unwrap(
            authenticatedApi.GET("/api/v1/teaching/lessons/", {
              params: { query: { video: videos.slice(0, 100), page_size: 100 } },
            }),
          ).then((page) => page.results),
    placeholderData: keepPreviousData,
  });
}

const MAX_PAGES_OF_LESSONS = 10;

/** The lessons that a video can be for, with a video or without, at most a thousand. */
export const editableLessonsQuery = queryOptions({
  queryKey: ["teaching", "lessons", "editable"],
  queryFn: async () => {
    const found: VideoLesson[] = [];
    for (let page = 1; page <= MAX_PAGES_OF_LESSONS; page += 1) {
      const { results, next } = await unwrap(
        authenticatedApi.GET("/api/v1/teaching/lessons/", {
          params: { query: { editable: true, page, page_size: 100 } },
        }),
      );
      found.push(...results);
      if (!next) break;
    }
    return found;
  },
});

/** Let a lesson show a video, in place of what it shows as far as is known here. */
export function showInLesson({ uid, token }: VideoLesson, video: string): Promise<VideoLesson> {
  return changeVideo(uid, { video, token });
}

/** Let a video be for this lesson no longer. */
export function withdrawFromLesson({ uid }: VideoLesson, video: string): Promise<VideoLesson> {
  return changeVideo(uid, { video: null, withdraws: video });
}

function changeVideo(
  uid: string,
  body: components["schemas"]["LessonVideoInRequest"],
): Promise<VideoLesson> {
  return unwrap(
    authenticatedApi.PUT("/api/v1/lessons/{uid}/video/", { params: { path: { uid } }, body }),
  );
}

export function retryVideo(uid: string): Promise<Video> {
  return unwrap(
    authenticatedApi.POST("/api/v1/videos/{uid}/retry/", { params: { path: { uid } } }),
  );
}

export function deleteVideo(uid: string): Promise<unknown> {
  return unwrap(authenticatedApi.DELETE("/api/v1/videos/{uid}/", { params: { path: { uid } } }));
}

// Lesson pages that are read or fetched: the end of a text completes it, a bookmark needs no reload.
import { authenticatedApi, unwrap } from "./shared/api/client";
import { loadMessages } from "./shared/i18n";
import { startBookmark } from "./lesson/bookmark";
import { startFetching, startReading } from "./lesson/reading";

loadMessages();

const complete = (uid: string) =>
  unwrap(authenticatedApi.POST("/api/v1/lessons/{uid}/complete/", { params: { path: { uid } } }));

startReading(document, complete);
startFetching(document, complete);
startBookmark(document, (slug, on) =>
  on
    ? unwrap(
        authenticatedApi.PUT("/api/v1/courses/{slug}/bookmark/", { params: { path: { slug } } }),
      )
    : unwrap(
        authenticatedApi.DELETE("/api/v1/courses/{slug}/bookmark/", { params: { path: { slug } } }),
      ),
);

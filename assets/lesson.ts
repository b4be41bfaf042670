// Lesson pages that are read or fetched: the end of a text completes it, and so does fetching a file.
// site.ts has brought these: named here too, the build makes one file of them, not one per user.
import "./shared/announce";
import "./shared/format";

import { authenticatedApi, unwrap } from "./shared/api/client";
import { loadMessages } from "./shared/i18n";
import { startFetching, startReading } from "./lesson/reading";

loadMessages();

const complete = (uid: string) =>
  unwrap(authenticatedApi.POST("/api/v1/lessons/{uid}/complete/", { params: { path: { uid } } }));

startReading(document, complete);
startFetching(document, complete);

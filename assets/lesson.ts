// Lesson pages that are read or fetched: the end of a text completes it, and so does fetching a file.
// site.ts has brought these: named here too, the build makes one file of them, not one per user.
import "./shared/announce";
import "./shared/format";

import { complete, openOutbox, tell } from "./lesson/kept";
import { startFetching, startReading } from "./lesson/reading";

const reading = startReading(document, complete, (lesson, title) => outbox.keep(lesson, title));
const outbox = openOutbox((delivery) => {
  if (!reading?.deliver(delivery)) tell(delivery);
});
if (reading && reading.lesson in outbox.all()) reading.showKept();
outbox.start();
startFetching(document, complete);

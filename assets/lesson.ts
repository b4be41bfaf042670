// Lesson pages that are read or fetched: the end of a text completes it, and so does fetching a file.
import { complete, openOutbox, tell } from "./lesson/completions";
import { startFetching, startReading } from "./lesson/reading";

const reading = startReading(document, complete, (lesson, title) => outbox.keep(lesson, title));
const outbox = openOutbox((delivery) => {
  if (!reading?.deliver(delivery)) tell(delivery);
});
if (reading && reading.lesson in outbox.all()) reading.showKept();
outbox.start();
startFetching(document, complete);

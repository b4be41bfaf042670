// Pages of text and file lessons: reading to the end completes a text, downloading completes a file.
import { complete, openOutbox, showDelivery } from "./lesson/completions";
import { startDownload, startReading } from "./lesson/reading";

const reading = startReading(document, complete, (lesson, title) => outbox.add(lesson, title));
const outbox = openOutbox((delivery) => {
  if (!reading?.deliver(delivery)) showDelivery(delivery);
});
if (reading && reading.lesson in outbox.all()) reading.showStored();
outbox.start();
startDownload(document, complete);

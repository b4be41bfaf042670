// The page of a new topic: the length of the title, and topics that resemble it, which are fetched with the first key.
import { startLessons } from "./newTopic/lessons";
import { startTitle } from "./newTopic/title";

const title = document.querySelector<HTMLInputElement>("form input[name=title]");
const place = document.querySelector<HTMLElement>("[data-alike]");

if (title?.form) {
  startTitle(title, title.form);
  startLessons(title.form);
}
if (title && place) {
  const load = (): void =>
    void import("./newTopic/similarTopics").then(
      ({ startSimilarTopics }) => startSimilarTopics(title, place),
      () => title.addEventListener("input", load, { once: true }), // offline: the next key tries again
    );
  title.addEventListener("input", load, { once: true });
}

// A topic: what others write appears by itself, and votes, reactions and answers don't leave the page. Here is only
// what every visit needs; the rest is fetched when something changes or the reader does something.
import { openLiveSocket } from "./shared/liveSocket";
import type { TopicActions } from "./topic/page";

const list = document.querySelector<HTMLElement>("[data-topic]");
const form = document.querySelector<HTMLFormElement>("form#acts");
const replying = document.querySelector<HTMLFormElement>("form#reply");
const STAYS = /\/(vote|react|accept|restore)(\?|$)/;

function start(list: HTMLElement): void {
  let loaded: Promise<TopicActions> | undefined;
  const load = (): Promise<TopicActions> =>
    (loaded ??= import("./topic/page").then(({ startTopic }) =>
      startTopic(list, replying, () => say({ type: "writing" })),
    ));
  /** Do something with the part that is fetched. Offline, the next attempt fetches it again. */
  const then = (use: (page: TopicActions) => unknown): void =>
    void load().then(use, () => (loaded = undefined));

  const say = openLiveSocket(`/ws/forum/topics/${list.dataset.topic}/`, {
    onMessage: (message) => {
      if (message.type === "writing" || Number(message.stamp) > Number(list.dataset.stamp))
        then((page) => page.hear(message));
    },
  });
  addEventListener("online", () => then((page) => page.catchUp()));
  replying?.addEventListener("focusin", () => then(() => undefined), { once: true });
  form?.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!(button instanceof HTMLButtonElement) || !STAYS.test(button.formAction)) return;
    event.preventDefault();
    then((page) => page.press(button));
  });
  list.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>(
      "a[data-share], a[data-reply]",
    );
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    load().then(
      (page) => page.follow(link),
      () => location.assign(link.href),
    );
  });
}

if (list) start(list);

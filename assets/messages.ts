// The pages of messages: what is new appears by itself, and a message is sent without leaving the page.
import { openLiveSocket } from "./shared/liveSocket";
import { startCounter } from "./messages/counter";
import { followMessages } from "./messages/follow";
import { startWritebox } from "./messages/writebox";

for (const area of document.querySelectorAll<HTMLTextAreaElement>(".herald textarea[data-most]"))
  startCounter(area);
const page = document.querySelector<HTMLElement>("[data-messages]");
if (page) {
  const live = followMessages(page);
  const say = openLiveSocket("/ws/messages/", { onMessage: live.hear, onOpen: live.catchUp });
  startWritebox(page, {
    onSent: live.showSent,
    onWriting: () => say({ type: "writing", conversation: page.dataset.messages }),
  });
}

/** What a topic page does once something changes, or the reader votes, replies or copies a link. */
import { copyLink, sendPress } from "./actions";
import { followTopic, type Live } from "./follow";
import { startReplying } from "./replying";

export type TopicActions = Live & {
  /** Send a button of a post: a vote, a reaction, an accepted answer. */
  press: (button: HTMLButtonElement) => Promise<void>;
  /** "Reply" or "Link" below a post. */
  follow: (link: HTMLAnchorElement) => void;
};

/** `list` is [data-topic] with all posts; `form` writes a reply, if the reader may. */
export function startTopic(
  list: HTMLElement,
  form: HTMLFormElement | null,
  onWriting: () => boolean,
): TopicActions {
  const live = followTopic(list);
  const replyTo = startReplying(form, onWriting);
  const sending = new Set<string>();

  const press = async (button: HTMLButtonElement): Promise<void> => {
    const { formAction } = button;
    if (sending.has(formAction)) return;
    sending.add(formAction);
    try {
      if (await sendPress(button)) await live.catchUp();
    } finally {
      sending.delete(formAction);
    }
  };
  const follow = (link: HTMLAnchorElement): void => {
    if ("share" in link.dataset) copyLink(link);
    else replyTo(link);
  };
  return { ...live, press, follow };
}

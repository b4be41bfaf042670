/**
 * New and changed posts of a topic. The socket tells the stamp of the topic; the page knows the stamp of what it shows
 * and fetches what is newer, so nothing is missed or doubled however long the connection was gone.
 */
import { announce } from "../shared/announce";
import { tn } from "../shared/i18n";
import { writeLocalTimes } from "../site/localTimes";

const WRITING_MS = 5_000;
const RETRY_MS = 5_000;
// All readers fetch a new post at once, but only soon the vote of someone else.
const spread = { post: [0, 300], change: [700, 2_000] } as const;

export type Live = {
  /** A message of the socket. */
  hear: (message: Record<string, unknown>) => void;
  /** Fetch what is newer than what the page shows. */
  catchUp: () => Promise<void>;
};

const isSeen = (): boolean => document.visibilityState === "visible";

/** Keep the posts of a page up to date. `list` is [data-topic] with all posts. */
export function followTopic(list: HTMLElement): Live {
  const { topic, page, upto } = list.dataset;
  const first = Math.max(Number(list.dataset.last), Number(upto));
  let stamp = Number(list.dataset.stamp);
  let last = Number(list.dataset.last);
  let told = stamp;
  let isUnseen = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let work = Promise.resolve();

  const read = async (since: number | null): Promise<void> => {
    const seen = isSeen();
    const response = await fetch(
      `/forum/topics/${topic}/posts?page=${page}${since === null ? "" : `&since=${since}`}${seen ? "&seen=1" : ""}`,
      { credentials: "same-origin" },
    );
    if (response.status === 404 || response.redirected) {
      told = stamp; // it is gone, or the session is: nothing to wait for
      return;
    }
    if (!response.ok) throw new TypeError();
    const found = new DOMParser().parseFromString(await response.text(), "text/html");
    const part = found.querySelector<HTMLElement>("[data-part]");
    if (!part) return;
    const added = showPosts(list, part);
    if (added === null) {
      if (since !== null) await read(null);
      return;
    }
    stamp = Number(part.dataset.stamp);
    list.dataset.stamp = String(stamp);
    last = Number(part.dataset.last);
    isUnseen = !seen;
    const beyond = showMore(last - first);
    writeLocalTimes();
    if (added + beyond > 0)
      announce(tn("{count} new reply", "{count} new replies", added + beyond));
    if (added > 0) showWriting(false);
  };

  /** One after the other, so that no post is added twice. */
  const catchUp = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    work = work
      .then(() => read(stamp))
      .catch(() => {
        if (told > stamp) fetchIn(RETRY_MS);
      });
    return work;
  };

  const fetchIn = (delay: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void catchUp(), delay);
  };

  const showWriting = (isOn: boolean): void => {
    const place = document.querySelector<HTMLElement>("[data-writing]");
    clearTimeout(hiding);
    if (place) place.hidden = !isOn;
    if (isOn) hiding = setTimeout(() => showWriting(false), WRITING_MS);
  };

  const hear = (message: Record<string, unknown>): void => {
    if (message.type === "writing") showWriting(true);
    if (message.type !== "topic") return;
    told = Number(message.stamp);
    if (told <= stamp) return;
    const [least, most] = Number(message.last) > last ? spread.post : spread.change;
    if (timer === undefined || least === 0) fetchIn(least + Math.random() * (most - least));
  };

  document.addEventListener("visibilitychange", () => {
    if (isSeen() && isUnseen) void catchUp();
  });
  return { hear, catchUp };
}

/** Say below the posts how many replies are on later pages. Returns how many of them were not shown before. */
function showMore(count: number): number {
  const link = document.querySelector<HTMLAnchorElement>("[data-more]");
  if (!link?.parentElement || count <= 0) return 0;
  const before = Number(link.dataset.more);
  link.dataset.more = String(count);
  link.textContent = tn("{count} new reply", "{count} new replies", count);
  link.parentElement.hidden = false;
  return count - before;
}

/**
 * Make the posts of the page those that the server names, in its order, with their new HTML where it gives one.
 * Returns how many were added; null if the server left out one that the page doesn't have.
 */
export function showPosts(list: HTMLElement, part: HTMLElement): number | null {
  const entries = [...part.querySelectorAll<HTMLElement>("[data-at]")];
  const find = (id = ""): HTMLElement | null => (id ? list.querySelector(`#${id}`) : null);
  if (entries.some((at) => !at.firstElementChild && !find(at.dataset.at))) return null;
  const restore = rememberPlace(list);
  const keys = new Set(entries.map((at) => at.dataset.at));
  const ends = new Map<Element, Element>();
  let added = 0;

  for (const at of entries) {
    const old = find(at.dataset.at);
    const fresh = at.firstElementChild as HTMLElement | null;
    if (!old && fresh?.id !== "accepted") added += 1;
    const one = fresh ?? old;
    if (!one) continue;
    if (fresh && old) replacePost(old, fresh);
    const under = find(at.dataset.under);
    const place = under ? repliesOf(under) : list;
    const end = ends.get(place);
    if ((end ? end.nextElementSibling : place.firstElementChild) !== one) {
      if (end) end.after(one);
      else place.prepend(one);
    }
    ends.set(place, one);
  }
  for (const one of list.querySelectorAll(".post")) if (!keys.has(one.id)) one.remove();
  for (const one of list.querySelectorAll(".post__replies:empty")) one.remove();
  const head = part.querySelector("[data-head]");
  if (head) document.querySelector("[data-topic-head]")?.replaceChildren(...head.childNodes);
  restore();
  return added;
}

function repliesOf(post: HTMLElement): Element {
  const found = post.querySelector(":scope > .post__replies");
  if (found) return found;
  const made = document.createElement("div");
  made.className = "post__replies";
  post.append(made);
  return made;
}

/** Put the new HTML of a post in its place, with its replies, its mark as new and its open menu. */
function replacePost(old: HTMLElement, fresh: HTMLElement): void {
  const replies = old.querySelector(":scope > .post__replies");
  const menu = (post: Element): HTMLDetailsElement | null =>
    post.querySelector(":scope > div > .post__acts > details");
  if (menu(old)?.open) menu(fresh)?.setAttribute("open", "");
  if (old.classList.contains("post--new")) fresh.classList.add("post--new");
  if (replies) fresh.append(replies);
  old.replaceWith(fresh);
}

/** Returns a function that puts the focus and what the reader looks at back where they were. */
function rememberPlace(list: HTMLElement): () => void {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const name = focused?.hasAttribute("formaction") ? "formaction" : "href";
  const value = focused?.getAttribute(name);
  const home = focused?.closest(".post")?.id;
  const posts = [...list.querySelectorAll(".post")];
  const top = (id: string): number | undefined =>
    document.getElementById(id)?.getBoundingClientRect().top;
  // Safari doesn't keep what is looked at by itself.
  const seen = CSS.supports("overflow-anchor", "auto")
    ? undefined
    : posts.find((one) => one.getBoundingClientRect().bottom > 0)?.id;
  const before = seen && top(seen);
  return () => {
    if (focused && !focused.isConnected && home) {
      const place = document.getElementById(home);
      const same = [...(place?.querySelectorAll<HTMLElement>(`[${name}]`) ?? [])];
      const menu = place?.querySelector<HTMLElement>("summary");
      (same.find((one) => value && one.getAttribute(name) === value) ?? menu)?.focus({
        preventScroll: true,
      });
    }
    const after = seen && top(seen);
    if (typeof before === "number" && typeof after === "number") scrollBy(0, after - before);
  };
}

/** New messages and what was read: fetched as parts of the page that the server renders, after the last one shown. */
import { csrfHeaders } from "../shared/api/csrf";
import { fetchPage } from "../shared/fetchPage";
import { iconAddress } from "../shared/icons";
import { t } from "../shared/i18n";
import { writeLocalTimes } from "../site/localTimes";

const WRITING_MS = 5_000;
const GATHER_MS = 300;

export type Live = {
  /** A message of the socket. */
  hear: (message: Record<string, unknown>) => void;
  /** Fetch what is new: whenever the socket has opened. */
  catchUp: () => void;
  /** Show the own message with this number: below the others, or on the page of the newest if older ones are shown. */
  showSent: (number: number) => void;
};

/** Keep a page of messages up to date. `page` is [data-messages], whose value is the uid of the open conversation. */
export function followMessages(page: HTMLElement): Live {
  const uid = page.dataset.messages ?? "";
  const talk = page.querySelector<HTMLElement>("[data-talk]");
  const isLive = uid !== "" && talk !== null && !("isOld" in talk.dataset);
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let listing: ReturnType<typeof setTimeout> | undefined;
  let work = Promise.resolve();
  let toRead = 0;

  const lastNumber = (): number =>
    Math.max(
      0,
      ...[...page.querySelectorAll<HTMLElement>("[data-number]")].map((one) =>
        Number(one.dataset.number),
      ),
    );

  const append = (part: Element): void => {
    for (const one of [...part.children]) {
      const { day, number } = (one as HTMLElement).dataset;
      const isThere = day
        ? talk?.querySelector(`[data-day="${day}"]`)
        : Number(number) <= lastNumber();
      if (!isThere) talk?.append(one);
    }
    talk?.querySelector("[data-none]")?.remove();
  };

  const fetchNew = async (): Promise<void> => {
    for (let more = true; more;) {
      const found = await fetchPage(`/me/messages/${uid}/part?after=${lastNumber()}`);
      const part = found?.querySelector<HTMLElement>("[data-part]");
      if (!part) return;
      more = part.dataset.more === "1";
      const heard = [...part.querySelectorAll<HTMLElement>("[data-number]:not(.say--me)")];
      if (part.children.length > 0) append(part);
      toRead = Math.max(toRead, ...heard.map((one) => Number(one.dataset.number)));
    }
    showWriting(false);
    readIfSeen();
  };

  /** One after the other, so that no message is appended twice. */
  const catchUp = (): void => {
    if (isLive) work = work.then(fetchNew).catch(() => undefined);
  };

  const showSent = (number: number): void => {
    if (isLive) catchUp();
    else location.assign(`${location.pathname}#m-${number}`);
  };

  const readIfSeen = (): void => {
    if (!toRead || document.visibilityState !== "visible") return;
    const body = new URLSearchParams({ number: String(toRead) });
    toRead = 0;
    void fetch(`/me/messages/${uid}/read`, {
      method: "POST",
      credentials: "same-origin",
      headers: { ...csrfHeaders(), Accept: "application/json" },
      body,
    }).catch(() => undefined);
  };
  document.addEventListener("visibilitychange", readIfSeen);

  const showRead = (read: number): void => {
    for (const one of page.querySelectorAll<HTMLElement>(".say--me[data-number]")) {
      const mark = one.querySelector<HTMLElement>("[data-read-mark]");
      if (!mark) continue;
      const isRead = Number(one.dataset.number) <= read;
      if (mark.classList.contains("is-read") === isRead) continue;
      mark.classList.toggle("is-read", isRead);
      mark.querySelector("svg")?.setAttribute("aria-label", isRead ? t("Read") : t("Sent"));
      mark
        .querySelector("use")
        ?.setAttribute("href", iconAddress(isRead ? "check-check" : "check"));
    }
  };

  const showWriting = (isOn: boolean): void => {
    const place = page.querySelector<HTMLElement>("[data-writing]");
    if (!place) return;
    clearTimeout(hiding);
    place.hidden = !isOn;
    if (isOn) hiding = setTimeout(() => showWriting(false), WRITING_MS);
  };

  /** The list and its filters as the server writes them now, unless older conversations are shown. */
  const refreshList = async (): Promise<void> => {
    const list = page.querySelector<HTMLElement>("[data-convs]");
    if (!list?.dataset.convs || list.contains(document.activeElement)) return;
    const found = await fetchPage(list.dataset.convs);
    const fresh = found?.querySelector("[data-convs]");
    if (!fresh) return;
    list.replaceChildren(...fresh.childNodes);
    const here = uid ? list.querySelector(`a[href*="${uid}"]`) : null;
    here?.setAttribute("aria-current", "true");
    here?.closest("li")?.classList.remove("is-new");
    here?.closest("li")?.querySelector(".convs__dot")?.remove();
    const filters = found?.querySelector("[data-filters-of-messages]");
    if (filters) page.querySelector("[data-filters-of-messages]")?.replaceWith(filters);
    writeLocalTimes();
  };

  const hear = (message: Record<string, unknown>): void => {
    if (message.type === "unread") {
      showUnread(Number(message.teaching));
    } else if (message.type === "writing" && message.conversation === uid) {
      showWriting(true);
    } else if (message.type === "conversation") {
      if (message.conversation === uid) {
        showRead(Number(message.read));
        if (Number(message.last) > lastNumber()) catchUp();
      }
      clearTimeout(listing);
      listing = setTimeout(() => void refreshList().catch(() => undefined), GATHER_MS);
    }
  };
  return { hear, catchUp, showSent };
}

/** The number beside "Messages" in the menu of an instructor. */
function showUnread(count: number): void {
  for (const badge of document.querySelectorAll<HTMLElement>("[data-messages-new]")) {
    badge.hidden = count === 0;
    const number = badge.querySelector("span");
    if (number) number.textContent = String(count);
  }
}

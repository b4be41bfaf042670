/** Notifications: the number on the bell, its panel, and the socket that updates both. */
import { csrfHeaders } from "../shared/api/csrf";
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { listenForNotifications } from "./notificationSocket";

type Actions = { writeLocalTimes: () => void; onSignedOut: () => void };

function bells(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>("details[data-bell]")];
}

/** Show the number of unread notifications everywhere on the page. */
export function showUnread(count: number): void {
  const shown = count > 9 ? "9+" : String(count);
  for (const badge of document.querySelectorAll<HTMLElement>("[data-unread]")) {
    badge.hidden = count === 0;
    badge.textContent = shown;
  }
  const name = count > 0 ? t("Notifications, {count} new", { count: shown }) : t("Notifications");
  for (const bell of bells()) bell.querySelector("summary")?.setAttribute("aria-label", name);
}

async function fillPanel(bell: HTMLDetailsElement, { writeLocalTimes }: Actions): Promise<void> {
  const panel = bell.querySelector<HTMLElement>("[data-bell-panel]");
  if (!panel) return;
  const response = await fetch("/notifications/panel", { credentials: "same-origin" });
  if (!response.ok || response.redirected) return; // signed out: the panel keeps its link to the page
  const hadFocus = panel.contains(document.activeElement);
  panel.innerHTML = await response.text(); // rendered and escaped by the server
  writeLocalTimes();
  const unread = panel.querySelector<HTMLElement>("[data-news]")?.dataset.news;
  if (unread !== undefined) showUnread(Number(unread));
  if (hadFocus) (panel.querySelector<HTMLElement>("a, button") ?? bell).focus();
}

async function post(address: string): Promise<number> {
  const response = await fetch(address, {
    method: "POST",
    credentials: "same-origin",
    keepalive: true, // the page may be left at the same time
    headers: { ...csrfHeaders(), Accept: "application/json" },
  });
  if (!response.ok) throw new Error(`The notification was not marked (${response.status})`);
  return ((await response.json()) as { unread: number }).unread;
}

/** Show these rows as read. */
function showRead(rows: Iterable<Element>): void {
  for (const row of rows) {
    row.classList.remove("is-new");
    row.querySelector("form[data-read]")?.remove();
    row.querySelector(".note__words > .vh")?.remove();
    row.querySelector("[data-read-by]")?.removeAttribute("data-read-by");
  }
}

/** Start the bells, the forms that mark as read, and the socket. */
export function startNotifications(actions: Actions): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !("read" in form.dataset)) return;
    event.preventDefault();
    const row = form.closest(".note");
    const next = row?.nextElementSibling ?? row?.previousElementSibling;
    void post(form.action).then(
      (unread) => {
        showUnread(unread);
        if (row) {
          (row.querySelector("a") ?? next?.querySelector("a"))?.focus();
          showRead([row]);
        } else {
          form.closest(".notes")?.querySelector<HTMLElement>(".notes__foot a")?.focus();
          form.remove();
          showRead(document.querySelectorAll(".note"));
        }
        announce(row ? t("Marked as read") : t("All marked as read"));
      },
      () => toast(t("That couldn't be saved. Try again."), { icon: "circle-alert" }),
    );
  });
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLElement>("[data-read-by]") : null;
    if (link?.dataset.readBy) void post(link.dataset.readBy).then(showUnread, () => undefined);
  });
  document.addEventListener(
    "toggle", // does not bubble
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && "bell" in target.dataset && target.open)
        void fillPanel(target, actions).catch(() => undefined);
    },
    { capture: true },
  );
  for (const bell of bells()) if (bell.open) void fillPanel(bell, actions).catch(() => undefined);
  listenForNotifications({
    onUnread: (unread, headline) => {
      showUnread(unread);
      if (headline) announce(t("New notification: {headline}", { headline }));
      for (const bell of bells()) {
        // Do not move what the user is about to press.
        if (bell.open && !bell.contains(document.activeElement))
          void fillPanel(bell, actions).catch(() => undefined);
      }
    },
    onSignedOut: actions.onSignedOut,
  });
}

/**
 * Offline lessons on pages: `button[data-offline-get]`, what is stored, and the question at sign-out. The code comes
 * with the first press, or where the account stores something in this browser.
 */
import { readMarker } from "../shared/offlineMarker";
import type { OfflinePage } from "../offline/controls/page";

const PARTS =
  "[data-offline-get], [data-offline-aside], [data-offline-badges], [data-offline-panel]";

export function startOfflineParts(): void {
  const user = document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content;
  let page: Promise<OfflinePage> | undefined;
  const load = (): Promise<OfflinePage> =>
    (page ??= import("../offline/controls/page").then(({ startOfflinePage }) =>
      startOfflinePage(user ?? ""),
    ));

  if (readMarker() && document.querySelector(PARTS)) void load();
  document.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest<HTMLButtonElement>("[data-offline-get]");
    if (!button || button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    void load().then(
      ({ press }) => press(button),
      () => {
        page = undefined;
        button.removeAttribute("aria-busy");
      },
    );
  });

  let isAsking = false;
  let isAnswered = false;
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target as HTMLFormElement;
      if (!("signOut" in form.dataset) || isAnswered || !readMarker()) return;
      if (!navigator.onLine) return; // no form is sent: site/forms.ts
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isAsking) return; // pressed twice
      isAsking = true;
      void import("../offline/controls/signOut")
        .then(({ askBeforeSignOut }) => askBeforeSignOut())
        .catch(() => true) // the next page of a visitor locks what is stored
        .then((isLeaving) => {
          isAsking = false;
          isAnswered = isLeaving;
          if (isLeaving) form.requestSubmit(event.submitter);
        });
    },
    { capture: true },
  );
}

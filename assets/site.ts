// The enhancements of server pages. Every page works without them (docs/pages-and-islands.md).
import { session } from "./shared/auth/browser";
import { startConnection } from "./shared/connection";
import { followSession } from "./site/followSession";
import { startAccountAppearance } from "./site/accountAppearance";
import { startAvatarFallback } from "./site/avatarFallback";
import { startBell } from "./site/bell";
import { readMarker } from "./shared/offlineMarker";
import { startConfirming } from "./site/confirm";
import { hasUnsentInput, startForms } from "./site/forms";
import { startSendingCompletions } from "./site/sendCompletions";
import { startPageShortcuts } from "./site/pageShortcuts";
import { startAppearance } from "./shared/appearance";
import { startMenus } from "./site/menus";
import { startPasswords } from "./site/passwords";
import { startPreloading } from "./site/preload";
import { startLoadingBar } from "./site/loadingBar";
import { startBookmarks } from "./site/bookmarks";
import { startSearch } from "./site/search";
import { startLocalTimes, writeLocalTimes } from "./site/localTimes";
import { startServerToasts } from "./site/serverToasts";
import { startCopyAndPrint } from "./site/copyAndPrint";
import { startOfflineParts } from "./site/offlineParts";

startAppearance();
startMenus();
startSearch();
startPageShortcuts();
startConfirming();
startOfflineParts();
startCopyAndPrint();
startForms();
startConnection();
startPasswords();
startBookmarks();
followSession({
  session,
  renderedFor: document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? null,
  hasUnsentInput,
  reload: () => location.reload(),
});
startAccountAppearance(session);
startServerToasts();
startLocalTimes();
startAvatarFallback();
startPreloading();
startLoadingBar();
if (document.querySelector(".prefs"))
  void import("./site/settings").then((page) => page.startSettings());
if ("serviceWorker" in navigator && !document.querySelector('meta[name="study-worker"]'))
  addEventListener("load", () => {
    // Not served over https, or switched off: pages need a connection then.
    void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
  });
if (readMarker() !== null)
  void import("./offline/start").then(
    ({ startOffline }) => startOffline(),
    () => undefined, // no connection: the next page does it
  );
startSendingCompletions();
startBell({
  writeLocalTimes,
  // Blocked, or signed out from another device: the session asks the server, and the page follows it.
  onSignedOut: () => void session.renew().catch(() => undefined),
});
// Only a keyboard needs it. Without a connection it starts with the first key after.
function startFocusKeeperOnKey(): void {
  addEventListener(
    "keydown",
    () =>
      void import("./site/focusKeeper").then(
        ({ startFocusKeeper }) => startFocusKeeper(),
        () => addEventListener("online", startFocusKeeperOnKey, { once: true }),
      ),
    { once: true },
  );
}
startFocusKeeperOnKey();
const newVersion = document.querySelector<HTMLElement>("[data-new-version]");
if (newVersion)
  void import("./site/newVersion").then(({ startNewVersion }) => startNewVersion(newVersion));
if (document.querySelector("[data-fetch-part]"))
  void import("./site/fetchedParts").then((page) => page.startFetchedParts());
if (document.querySelector("button[data-wait]"))
  void import("./site/countdownButtons").then((page) => page.startCountdownButtons());
if (document.querySelector("form[data-check]"))
  void import("./site/liveValidation").then((page) => page.startLiveValidation());
if (document.querySelector("[data-vat-number]"))
  void import("./site/vatNumber").then((page) => page.startVatNumbers());
if (document.querySelector("form[data-auto-submit]"))
  void import("./site/filters").then(({ startFilters }) => startFilters());
if (document.querySelector("[data-retry]"))
  void import("./site/pageRetry").then(({ startPageRetry }) => startPageRetry());
const waiting = document.querySelector("[data-waits]");
if (waiting) void import("./site/waiting").then(({ followWaiting }) => followWaiting(waiting));
if (document.querySelector("form[data-auto-save]"))
  void import("./site/autoSave").then(({ startAutoSave }) => startAutoSave());
if (document.querySelector("[data-tip]"))
  void import("./site/tooltips").then(({ startTooltips }) => startTooltips());
if (document.querySelector("[data-chart]"))
  void import("./site/charts").then(({ startCharts }) => startCharts());
const selecting = document.querySelector<HTMLFormElement>("form[data-selects]");
if (selecting) void import("./site/selectAll").then((page) => page.startSelectAll(selecting));
const pictureForm = document.querySelector<HTMLFormElement>("form[data-picture]");
if (pictureForm)
  void import("./site/coursePicture").then((page) => page.startCoursePicture(pictureForm));
const visited = document.querySelector<HTMLElement>("[data-visit]")?.dataset.visit;
if (visited) void import("./site/courseVisit").then((page) => page.startCourseVisit(visited));
const liveForm = document.querySelector<HTMLFormElement>("form[data-live-form]");
if (liveForm) void import("./site/liveForm").then((page) => page.startLiveForm(liveForm));
if (document.querySelector("[data-compared-start]"))
  void import("./site/comparedVideos").then((page) => page.startComparedVideos());
if (document.querySelector("[data-review]"))
  void import("./site/reviewComments").then((page) => page.startReviewComments());

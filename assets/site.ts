// The enhancements of server pages. Every page works without them (docs/pages-and-islands.md).
import { session } from "./shared/auth/browser";
import { startConnection } from "./shared/connection";
import { startAccount } from "./site/account";
import { startAccountLook } from "./site/account-look";
import { startAvatars } from "./site/avatars";
import { startBell } from "./site/bell";
import { startChecking } from "./site/checking";
import { startConfirming } from "./site/confirm";
import { hasUnsentInput, startForms } from "./site/forms";
import { startKept } from "./site/kept";
import { startKeys } from "./site/keys";
import { startLook } from "./site/look";
import { startMenus } from "./site/menus";
import { startPasswords } from "./site/passwords";
import { startPreloading } from "./site/preload";
import { startProgress } from "./site/progress";
import { startRibbons } from "./site/ribbons";
import { startSearch } from "./site/search";
import { startTimes, writeTimes } from "./site/times";
import { startToasts } from "./site/toasts";
import { startWaiting } from "./site/waiting";

startLook();
startMenus();
startSearch();
startKeys();
startConfirming();
startForms();
startConnection();
startChecking();
startPasswords();
startRibbons();
startAccount({
  session,
  renderedFor: document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? null,
  hasUnsentInput,
  reload: () => location.reload(),
});
startAccountLook(session);
startToasts();
startWaiting();
startTimes();
startAvatars();
startPreloading();
startProgress();
if (document.querySelector(".prefs"))
  void import("./site/settings").then((page) => page.startSettings());
if ("serviceWorker" in navigator)
  addEventListener("load", () => {
    // Not served over https, or switched off: pages need a connection then.
    void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
  });
startKept();
startBell({
  writeTimes,
  // Blocked, or signed out from another device: the session asks the server, and the page follows it.
  onSignedOut: () => void session.renew().catch(() => undefined),
});
if (document.querySelector("form[data-auto-submit]"))
  void import("./site/filters").then(({ startFilters }) => startFilters());
if (document.querySelector("[data-retry]"))
  void import("./site/retrying").then(({ startRetrying }) => startRetrying());
if (document.querySelector("form[data-auto-save]"))
  void import("./site/autosave").then(({ startAutoSave }) => startAutoSave());

/** Starts the shell: the account, the offline API, the page, and what happens when the connection is back. */
import { setLocalAnswer } from "../../shared/api/client";
import { session } from "../../shared/auth/browser";
import { t } from "../../shared/i18n";
import { joinReports, nothing } from "../keptReport";
import type { SyncReport } from "../types";
import { makeAnswer } from "./api/answer";
import { Connection } from "./connection";
import { OfflineNotice } from "./notice";
import { followLinks } from "./followLinks";
import { makeOpenedList, type Opened, openRoute } from "./open";
import { leave, reconnect } from "./reconnect";
import { routeOf } from "./route";
import { keepScroll, reloadPage } from "./scrolling";
import { startSavingFiles } from "./saveFiles";
import { settleAll } from "./settle";
import type { Dependencies, Store } from "./store";

/** Show this page as one of the account: islands know its user, dates its zone, and calls are answered here. */
function actAs(store: Store): void {
  const { user, name } = store.account;
  const meta = document.createElement("meta");
  meta.name = "study-user";
  meta.content = user;
  document.head.append(meta);
  session.assume({ id: user, username: name, email: "", role: "student" });
  setLocalAnswer(makeAnswer(store));
  for (const place of document.querySelectorAll<HTMLElement>("[data-offline-account]")) {
    place.textContent = t("Lessons of {name}", { name });
    place.hidden = false;
  }
}

/** Mark the link of the header that leads to this page. */
function markCurrentLink(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("header nav a"))
    if (link.pathname === location.pathname && !location.search)
      link.setAttribute("aria-current", "page");
}

/** Time until a change is sent that is made with a connection: others follow. */
const SEND_DELAY_MS = 2000;
/** How often what a video adds to its lesson becomes a change. */
const SETTLE_INTERVAL_MS = 60_000;

/** A page that stays open with a connection, as it is used, sends what is done on it. */
function sendWhileOnline(
  store: Store,
  connection: Connection,
  showSent: (report: SyncReport) => void,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  setInterval(() => {
    if (connection.state.isOnline) void settleAll(store).catch(() => undefined);
  }, SETTLE_INTERVAL_MS);
  store.onAdded(() => {
    if (!connection.state.isOnline) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      void store.sendChanges().then((report) => {
        if (report.isLost) connection.lose();
        else showSent(report);
      });
    }, SEND_DELAY_MS);
  });
}

export async function startShell({
  openStore,
  lastContact,
  hasStored,
  showReport,
}: Dependencies): Promise<void> {
  const route = routeOf(location);
  const isList = route.page === "list";
  if (!isList) {
    document.documentElement.dataset.offline = "";
    keepScroll();
    startSavingFiles();
  }
  markCurrentLink();
  const store = await openStore().catch(() => null);
  let synced = nothing;
  const takeSynced = (): SyncReport => {
    const taken = synced;
    synced = nothing;
    return taken;
  };
  /** What this page says, the next one need not say. */
  const showSent = (report: SyncReport): void => {
    takeSynced();
    showReport(report);
  };
  if (store) {
    store.onSynced((report) => (synced = joinReports(synced, report)));
    actAs(store);
    // Signed out by another tab, or as somebody else: what is shown here is no longer theirs to see.
    store.onClosed(() => location.reload());
    // What pages have left that were closed before they could: attempts, watched seconds, notes.
    await settleAll(store).catch(() => undefined);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") void settleAll(store).catch(() => undefined);
    });
  }

  let opened: Opened = isList
    ? makeOpenedList()
    : { works: false, promise: "", isReplaceable: true };
  const notice = new OfflineNotice(() => void connection.check());
  const connection = new Connection(await lastContact().catch(() => 0), (state) => {
    notice.show(state, opened.promise);
    if (!state.isOnline) return;
    if (store) void reconnect({ ...opened, ...leavingOf(store), showReport: showSent });
    else if (!opened.works && opened.isReplaceable) reloadPage();
  });
  const leavingOf = (from: Store) => ({
    store: from,
    notice,
    takeSynced,
    onLost: () => connection.lose(),
  });
  if (store) {
    sendWhileOnline(store, connection, showSent);
    followLinks(
      () => connection.state.isOnline,
      (go) => leave(leavingOf(store), go),
    );
  }
  opened = await openRoute(store, route, hasStored());
  // These open with a connection, too.
  if (isList || route.page === "stored") await connection.check();
  connection.start();
}

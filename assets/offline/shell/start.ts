/** Starts the shell: the account, the offline API, the page, and what happens when the connection is back. */
import { setLocalAnswer } from "../../shared/api/client";
import { session } from "../../shared/auth/browser";
import { t } from "../../shared/i18n";
import { joinReports } from "../keptReport";
import type { SyncReport } from "../types";
import { makeAnswer } from "./api/answer";
import { Connection } from "./connection";
import { OfflineNotice } from "./notice";
import { type Opened, openRoute } from "./open";
import { reconnect } from "./reconnect";
import { routeOf } from "./route";
import { keepScroll } from "./scrolling";
import { startSavingFiles } from "./saveFiles";
import { settleAll } from "./settle";
import type { Store } from "./store";

export type Dependencies = {
  openStore: () => Promise<Store | null>;
  lastContact: () => Promise<number>;
  /** Whether any account stores something in this browser. */
  hasStored: () => boolean;
  showReport: (report: SyncReport) => void;
};

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

/** Time until a change is sent that is made with a connection: others follow. */
const SEND_MS = 2000;
/** How often what a video adds to its lesson becomes a change. */
const SETTLE_MS = 60_000;

/** A page that stays open with a connection, as it is used, sends what is done on it. */
function sendWhileOnline(
  store: Store,
  connection: Connection,
  showReport: Dependencies["showReport"],
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  setInterval(() => {
    if (connection.state.isOnline) void settleAll(store).catch(() => undefined);
  }, SETTLE_MS);
  store.onAdded(() => {
    if (!connection.state.isOnline) return;
    clearTimeout(timer);
    timer = setTimeout(
      () => void store.sendChanges().then(showReport, () => connection.lose()),
      SEND_MS,
    );
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
  const store = await openStore().catch(() => null);
  let synced: SyncReport = { taken: 0, refused: [], waiting: 0 };
  if (store) {
    store.onSynced((report) => (synced = joinReports(synced, report)));
    actAs(store);
    // What pages have left that were closed before they could: attempts, watched seconds, notes.
    await settleAll(store).catch(() => undefined);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") void settleAll(store).catch(() => undefined);
    });
  }

  let opened: Opened = { works: isList, isReplaceable: !isList };
  const notice = new OfflineNotice(() => void connection.check());
  const connection = new Connection(await lastContact().catch(() => 0), (state) => {
    notice.show(state, opened.works);
    if (!state.isOnline) return;
    if (!opened.works && opened.isReplaceable) location.reload();
    else if (store)
      void reconnect({
        store,
        notice,
        isReplaceable: opened.isReplaceable,
        showReport,
        readSynced: () => synced,
        onLost: () => connection.lose(),
      });
  });
  if (store) sendWhileOnline(store, connection, showReport);
  opened = await openRoute(store, route, hasStored());
  // The list is a page of the server, too: there may be a connection.
  if (isList) await connection.check();
  connection.start();
}

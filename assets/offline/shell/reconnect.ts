/** What happens once the server answers again: what was done here is sent, and the real page takes this one's place. */
import { session } from "../../shared/auth/browser";
import type { Credentials } from "../../shared/auth/session";
import { t } from "../../shared/i18n";
import type { SyncReport } from "../types";
import { keepReport } from "../keptReport";
import { isBusy } from "./busy";
import type { OfflineNotice } from "./notice";
import { reloadPage } from "./scrolling";
import { sendFirst } from "./sendFirst";
import type { Store } from "./store";

export type Reconnecting = {
  store: Store;
  notice: OfflineNotice;
  /** Whether the page that is shown exists on the server, too. */
  isReplaceable: boolean;
  /** Whether it shows what was asked for. Otherwise nothing keeps it here. */
  works: boolean;
  showReport: (report: SyncReport) => void;
  /** What was sent, by whichever module or tab, since this was last asked. */
  takeSynced: () => SyncReport;
  /** There was no answer after all. */
  onLost: () => void;
  reload?: () => void;
};

/** Who is signed in by the cookie; null: nobody. Rejects without an answer. */
async function askWho(): Promise<Credentials | null> {
  const answer = await fetch("/api/v1/auth/session/", {
    credentials: "same-origin",
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal: AbortSignal.timeout(30_000),
  });
  if (answer.status === 401 || answer.status === 403) return null;
  if (!answer.ok) throw new Error(`The session could not be read (${String(answer.status)})`);
  return (await answer.json()) as Credentials;
}

type Leaving = Pick<Reconnecting, "store" | "notice" | "takeSynced" | "onLost">;

/**
 * Send what waits, then go to a page of the server, which says what was sent. Without a response nobody goes anywhere.
 * Returns whether there was one.
 */
export async function leave(context: Leaving, go: () => void): Promise<boolean> {
  const { waiting, isLost } = await sendFirst(context.store, context.notice);
  if (isLost) {
    context.onLost();
    return false;
  }
  keepReport({ ...context.takeSynced(), waiting });
  go();
  return true;
}

export async function reconnect(context: Reconnecting): Promise<void> {
  const { store, notice, isReplaceable, works, showReport, onLost } = context;
  const reload = context.reload ?? reloadPage;
  let who: Credentials | null;
  try {
    who = await askWho();
  } catch {
    onLost();
    return;
  }
  const other = who?.user.id === store.account.user ? undefined : who?.user.id;
  if (other !== undefined) {
    try {
      // Otherwise the list would show this account again, and load itself again and again.
      await store.lockFor(other);
    } catch {
      onLost();
      return;
    }
  }
  if (who?.user.id !== store.account.user) {
    // What was done here stays, for when this account is signed in again. Another account sees its own pages.
    if (who || !works) reload();
    else
      notice.offer(
        t("You're back online. Sign in to send what you did here."),
        t("Sign in"),
        reload,
      );
    return;
  }
  session.login(who.user, who.token);
  const report = await sendFirst(store, notice);
  if (report.isLost) {
    onLost();
    return;
  }
  if (isReplaceable && !isBusy()) {
    await leave(context, reload);
    return;
  }
  showReport(report);
  if (!isReplaceable) {
    notice.hide();
    return;
  }
  const load = (): void => void leave(context, reload).catch(reload);
  notice.offer(t("You're back online."), t("Load the current page"), load);
}

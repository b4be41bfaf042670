/** What happens once the server answers again: what was done here is sent, and the real page takes this one's place. */
import { session } from "../../shared/auth/browser";
import type { Credentials } from "../../shared/auth/session";
import { t } from "../../shared/i18n";
import type { SyncReport } from "../types";
import { keepReport } from "../keptReport";
import type { OfflineNotice } from "./notice";
import { settleAll } from "./settle";
import type { Store } from "./store";

export type Reconnecting = {
  store: Store;
  notice: OfflineNotice;
  /** Whether the page that is shown exists on the server, too. */
  isReplaceable: boolean;
  showReport: (report: SyncReport) => void;
  /** What was sent since the page was opened, by whichever module or tab. */
  readSynced: () => SyncReport;
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

/** Whether something would be lost or interrupted by a new page. */
export function isBusy(): boolean {
  const media = [...document.querySelectorAll<HTMLMediaElement>("video, audio")];
  if (media.some((one) => !one.paused && !one.ended)) return true;
  if (document.querySelector("[data-open-attempt], dialog[open], .flash")) return true;
  const { activeElement: active } = document;
  const isField = active?.matches("input:not([type=radio], [type=checkbox]), textarea") ?? false;
  return isField && (active as HTMLInputElement).value !== "";
}

export async function reconnect(context: Reconnecting): Promise<void> {
  const { store, notice, isReplaceable, showReport, onLost } = context;
  const reload = context.reload ?? ((): void => location.reload());
  let who: Credentials | null;
  try {
    who = await askWho();
  } catch {
    onLost();
    return;
  }
  if (who?.user.id !== store.account.user) {
    // What was done here stays, for when this account is signed in again. Another account sees its own pages.
    if (who) reload();
    else
      notice.offer(
        t("You're back online. Sign in, and what you did here is sent."),
        t("Sign in"),
        reload,
      );
    return;
  }
  session.login(who.user, who.token);
  let report: SyncReport;
  try {
    await settleAll(store);
    report = await store.sendChanges();
  } catch {
    onLost();
    return;
  }
  if (isReplaceable && !isBusy()) {
    keepReport({ ...context.readSynced(), waiting: report.waiting });
    reload();
    return;
  }
  showReport(report);
  if (isReplaceable) notice.offer(t("You're back online."), t("Load the current page"), reload);
  else notice.hide();
}

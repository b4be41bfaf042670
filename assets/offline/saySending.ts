/** On pages of the server, which show what it knew when they were loaded: says that something is sent, and what came of it. */
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { listChanges } from "./outbox";
import { showSyncReport } from "./report";
import { followUnsentAttempt, sayUnsentAttempt } from "./shell/unsentAttempt";
import type { Account, SyncReport } from "./types";

/** Pages that show what was learned. */
const LEARNING = /^\/(learn|course|dashboard|me|practice)(\/|$)/;

let wasSaid = false;

/** Before sending. Returns what is to be called after it. */
export async function saySending(account: Account): Promise<(report: SyncReport) => Promise<void>> {
  const isShell = document.documentElement.dataset.offline !== undefined;
  const waits = (await listChanges(account)).some(({ refusal }) => refusal === null);
  if (isShell || !waits)
    return (report) => {
      showSyncReport(report);
      return Promise.resolve();
    };
  await sayUnsentAttempt(account);
  // What the server wants later is sent again and again; it is said once.
  const hide = wasSaid
    ? (): void => undefined
    : toast(t("Sending what you did without a connection"), { icon: "refresh-cw", stays: true });
  wasSaid = true;
  return async (report) => {
    hide();
    if ((await followUnsentAttempt(account, report)) === "reloads") return;
    const isOutdated = LEARNING.test(location.pathname);
    showSyncReport(report, isOutdated ? (): void => location.reload() : undefined);
  };
}

/** Sends what was done here before a page of the server takes this one's place: that page must not show less. */
import { t } from "../../shared/i18n";
import { joinReports, nothing } from "../keptReport";
import type { SyncReport } from "../types";
import type { OfflineNotice } from "./notice";
import { settleAll } from "./settle";
import type { Store } from "./store";

/** Changes that are made while others are sent are sent, too; but a page that makes them without end is left. */
const MAX_ROUNDS = 3;

async function isAnythingUnsent(store: Store): Promise<boolean> {
  return (await store.listChanges()).some(({ refusal }) => refusal === null);
}

/** Send all that may be sent now. `isLost` in the report: there was no response, and what is left stays here. */
export async function sendFirst(
  store: Store,
  notice: Pick<OfflineNotice, "tell">,
): Promise<SyncReport> {
  let report: SyncReport = nothing;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await settleAll(store);
    if (!(await isAnythingUnsent(store))) break;
    notice.tell(t("Sending what you did without a connection"));
    const sent = await store.sendChanges();
    report = { ...joinReports(report, sent), isLost: sent.isLost ?? false };
    // What is left waits until the server wants it.
    if (report.isLost || sent.taken + sent.refused.length === 0) break;
  }
  return report;
}

/** What came of sending what was done without a connection. */
import { announce } from "../shared/announce";
import { t, tn } from "../shared/i18n";
import { toast } from "../shared/toasts";
import type { SyncReport } from "./types";

/** Where refused changes stay until they are dismissed. */
const REFUSED = "/offline#waiting";

/** Say what was taken, and what was refused and why. Where nothing was, nothing is said. */
export function showSyncReport({ taken, refused }: SyncReport): void {
  if (taken > 0)
    toast(tn("{count} change synced", "{count} changes synced", taken), { icon: "check-check" });
  const [first] = refused;
  if (!first) return;
  const reason = first.refusal?.message ?? "";
  const sentence =
    refused.length === 1
      ? t("“{change}” couldn't be saved. {reason}", { change: first.title, reason })
      : tn(
          "{count} change couldn't be saved.",
          "{count} changes couldn't be saved.",
          refused.length,
        );
  toast(sentence.trim(), {
    icon: "circle-alert",
    stays: true,
    isSilent: true,
    action: { label: t("See why"), onPress: () => location.assign(REFUSED) },
  });
  announce(sentence.trim(), "assertive");
}

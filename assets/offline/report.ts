/** What came of sending what was done without a connection. */
import { announce } from "../shared/announce";
import { t, tn } from "../shared/i18n";
import { toast } from "../shared/toasts";
import type { QuizResult, SyncReport } from "./types";

/** Where refused changes stay until they are dismissed. */
const REFUSED_CHANGES_URL = "/offline#waiting";

/** Results that are told one by one. */
const MAX_RESULTS = 3;

/** “Vectors: 80%, passed” */
function describeResult({ title, percent, isPassed }: QuizResult): string {
  const values = { quiz: title, percent };
  if (isPassed === null) return t("{quiz}: {percent}%", values);
  return isPassed
    ? t("{quiz}: {percent}%, passed", values)
    : t("{quiz}: {percent}%, not passed", values);
}

/**
 * Say what was taken, with the results of quizzes, and what was refused and why. Where nothing was, nothing is said.
 * @param reload shows the page with what was taken, where it doesn't
 */
export function showSyncReport({ taken, refused, results }: SyncReport, reload?: () => void): void {
  const action = reload && { label: t("Reload page"), onPress: reload };
  if (taken > 0) {
    const rest = results.length - MAX_RESULTS;
    const lines = [
      tn("{count} change synced", "{count} changes synced", taken),
      ...results.slice(0, MAX_RESULTS).map(describeResult),
      ...(rest > 0 ? [tn("{count} more quiz marked", "{count} more quizzes marked", rest)] : []),
    ];
    toast(lines.join(". "), { icon: "check-check", ...(action && { action }) });
  }
  const [first] = refused;
  if (!first) return;
  const reason = first.refusal?.message ?? "";
  const sentence =
    refused.length === 1 && first.title !== ""
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
    action: { label: t("See why"), onPress: () => location.assign(REFUSED_CHANGES_URL) },
  });
  announce(sentence.trim(), "assertive");
}

import { t } from "./i18n";
import { toast } from "./toasts";

/** The message for 25, 50 or 75 percent of a course; "" for any other value. */
export function milestoneMessage(percent: number | null): string {
  if (percent === 25) return t("A quarter of the course is complete.");
  if (percent === 50) return t("You're halfway through the course.");
  if (percent === 75) return t("Three quarters of the course are complete.");
  return "";
}

/** Show what a completed lesson reached: a milestone of the course, or its end. `isAnnounced`: the caller says it. */
export function celebrate(
  reached: { milestone: number | null; certificate_url: string | null },
  isAnnounced = false,
): void {
  const milestone = milestoneMessage(reached.milestone);
  if (milestone) toast(milestone, { isSilent: isAnnounced });
  const certificate = reached.certificate_url;
  if (certificate)
    toast(t("You completed the course."), {
      stays: true,
      action: { label: t("See the certificate"), onPress: () => location.assign(certificate) },
    });
}

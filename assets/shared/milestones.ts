import { t } from "./i18n";

/** What is said when a lesson has brought the course to 25, 50 or 75 percent; "" for everything else. */
export function milestoneWords(percent: number | null): string {
  if (percent === 25) return t("A quarter of the course is complete.");
  if (percent === 50) return t("You are halfway through the course.");
  if (percent === 75) return t("Three quarters of the course are complete.");
  return "";
}

import { t } from "./i18n";
import { toast } from "./toasts";

/** Say that the user was removed from the course whose studio is open, while what they typed can still be copied. */
export function sayRemovedFromCourse(): void {
  toast(t("You no longer work on this course. Copy what you still need: nothing is saved."), {
    icon: "circle-alert",
    stays: true,
  });
}

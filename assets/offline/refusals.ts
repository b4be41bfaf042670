/** What keeps this browser from storing a lesson, in the words of the error catalog. */
import { offlineErrors } from "../shared/api/offlineErrors.gen";
import { t } from "../shared/i18n";
import type { Refusal } from "./types";

export function refuse(code: keyof typeof offlineErrors): Refusal {
  const { title, message } = offlineErrors[code];
  return { code, title: t(title), message: t(message) };
}

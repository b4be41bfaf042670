/** Where what was written is now, in a line for its author. */
import { ApiError } from "../api/errors";
import { timeOfDay } from "../format";
import { t } from "../i18n";
import { reasonOf } from "./judge";
import type { Field, SaveQueue } from "./saveQueue";

export type SavingLine = { text: string; isProblem: boolean };

type Saving = Pick<SaveQueue, "failure" | "delay" | "savedAt">;

/** The line about all fields of a queue; "" before the first change. */
export function describeSaving(
  fields: ReadonlyMap<string, Field>,
  { failure, delay, savedAt }: Saving,
  isOnline: boolean,
): SavingLine {
  const all = [...fields.values()];
  const has = (wanted: Field["state"]): boolean => all.some(({ state }) => state === wanted);
  const problem = (text: string): SavingLine => ({ text, isProblem: true });
  if (failure !== null && all.some(({ state }) => state !== "saved"))
    return problem(t("Not saved: {reason}", { reason: reasonOf(failure) }));
  if (has("memory")) return problem(t("Not saved: this device can't keep it either"));
  if (has("conflict")) return problem(t("Not saved: changed elsewhere, too"));
  const refused = all.find(({ state }) => state === "refused");
  if (refused) return problem(t("Not saved: {reason}", { reason: refused.problem }));
  if (has("saving")) return { text: t("Saving"), isProblem: false };
  if (has("device")) {
    let text = t("On this device");
    if (!isOnline) text = t("On this device: it is saved once you are online");
    else if (delay instanceof ApiError && delay.status === 429)
      text = t("On this device: the server asks to wait, then it is saved");
    else if (delay !== null) text = t("On this device: the server doesn't answer, trying again");
    return { text, isProblem: false };
  }
  const text = savedAt === null ? "" : t("Saved {time}", { time: timeOfDay(savedAt) });
  return { text, isProblem: false };
}

/** Where what was written is now, in a line for its author. */
import { timeOfDay } from "../format";
import { t } from "../i18n";
import type { SaveQueue } from "./saveQueue";

export type SavingLine = { text: string; isProblem: boolean };

/** The line about all fields of a queue; "" before the first change. */
export function describeSaving(
  queue: Pick<SaveQueue, "fields" | "failure" | "savedAt">,
  isOnline: boolean,
): SavingLine {
  const states = new Set([...queue.fields().values()].map(({ state }) => state));
  const problem = (text: string): SavingLine => ({ text, isProblem: true });
  if (states.has("memory"))
    return problem(
      t(
        "Not saved: this browser can't keep it, so leave the page open until the connection is back",
      ),
    );
  if (queue.failure instanceof Error)
    return problem(t("Not saved: {reason}", { reason: queue.failure.message }));
  if (states.has("conflict")) return problem(t("Changed elsewhere: choose which text stays"));
  if (states.has("refused")) return problem(t("One field isn't saved yet"));
  if (states.has("saving")) return { text: t("Saving"), isProblem: false };
  if (states.has("device"))
    return {
      text: isOnline ? t("On this device") : t("On this device: it is saved once you are online"),
      isProblem: false,
    };
  const time = queue.savedAt === null ? "" : timeOfDay(queue.savedAt);
  return { text: time && t("Saved {time}", { time }), isProblem: false };
}

/** The words about what another author, or another tab, made of a field. */
import { timeOfDay } from "../format";
import { t } from "../i18n";
import type { Conflict } from "./saveQueue";

export type ConflictWords = {
  title: string;
  /** Before the other value. */
  lead: string;
  /** The buttons that take the other value, and keep this one. */
  theirs: string;
  mine: string;
};

function titleOf({ by, at }: Conflict): string {
  if (by === "") return t("This was changed elsewhere while you were writing");
  if (at === null) return t("{name} changed this while you were writing", { name: by });
  return t("{name} changed this at {time}, while you were writing", {
    name: by,
    time: timeOfDay(at),
  });
}

/** Both have changed the field: one has to choose. */
export function describeConflict(conflict: Conflict): ConflictWords {
  if (conflict.isFromDevice === true)
    return {
      title: t("Two tabs that were closed had different texts here"),
      lead: t("The other one is:"),
      theirs: t("Use the other one"),
      mine: t("Keep this one"),
    };
  return {
    title: titleOf(conflict),
    lead: t("There it says:"),
    theirs: t("Use theirs"),
    mine: t("Keep mine"),
  };
}

/** Another author has changed the field that the user is in. */
export function describeIncoming({ by, at }: Conflict): string {
  if (by === "") return t("This was changed elsewhere. It's shown when you leave the field.");
  return t("{name} changed this at {time}. It's shown when you leave the field.", {
    name: by,
    time: timeOfDay(at ?? Date.now()),
  });
}

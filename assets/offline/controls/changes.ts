/** What was done without a connection, as people read it. */
import type { IconName } from "../../shared/iconNames";
import { t, tn } from "../../shared/i18n";
import type { Change, WaitingChange } from "../types";

export type ChangeGroup = {
  kind: Change["kind"];
  icon: IconName;
  label: string;
  detail: string;
  /** When the latest was made. */
  madeAt: string;
};

const icons: Record<Change["kind"], IconName> = {
  note: "notebook-pen",
  watched: "clock",
  completed: "circle-check",
  review: "layers",
  attempt: "circle-question-mark",
};

const MAX_TITLES = 2;

function secondsWatched(changes: readonly WaitingChange[]): number {
  return changes
    .flatMap(({ change }) => change.watched?.watched ?? [])
    .reduce((sum, [from = 0, to = 0]) => sum + Math.max(0, to - from), 0);
}

/** “2 notes”, “14 minutes learned” */
export function labelOf(kind: Change["kind"], changes: readonly WaitingChange[]): string {
  const count = changes.length;
  switch (kind) {
    case "note":
      return tn("{count} note", "{count} notes", count);
    case "watched": {
      const minutes = Math.max(1, Math.round(secondsWatched(changes) / 60));
      return tn("{count} minute learned", "{count} minutes learned", minutes);
    }
    case "completed":
      return tn("{count} lesson completed", "{count} lessons completed", count);
    case "review":
      return tn("{count} practice card", "{count} practice cards", count);
    case "attempt":
      return tn("{count} quiz attempt", "{count} quiz attempts", count);
  }
}

function listTitles(changes: readonly WaitingChange[]): string {
  const titles = [...new Set(changes.map(({ title }) => title).filter(Boolean))];
  const rest = titles.length - MAX_TITLES;
  const shown = titles.slice(0, MAX_TITLES).join(", ");
  return rest > 0 ? tn("{titles} and {count} more", "{titles} and {count} more", rest, { titles: shown }) : shown; // prettier-ignore
}

/** By kind, in the order in which the first of each was made. */
export function groupChanges(changes: readonly WaitingChange[]): ChangeGroup[] {
  const kinds = [...new Set(changes.map(({ change }) => change.kind))];
  return kinds.map((kind) => {
    const own = changes.filter(({ change }) => change.kind === kind);
    return {
      kind,
      icon: icons[kind],
      label: labelOf(kind, own),
      detail: kind === "review" ? t("Rated offline") : listTitles(own),
      madeAt: own.reduce((last, { change }) => (change.made_at > last ? change.made_at : last), ""),
    };
  });
}

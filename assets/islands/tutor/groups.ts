/** Chats under Today, This week and Earlier, in the reader's own time zone. */
import { dayNumber } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { ChatRow } from "./types";

export type Group = { name: string; chats: ChatRow[] };

/** Newest first; groups without chats are left out. */
export function grouped(rows: readonly ChatRow[], now: Date = new Date()): Group[] {
  const today = dayNumber(now);
  const groups: Group[] = [
    { name: t("Today"), chats: [] },
    { name: t("This week"), chats: [] },
    { name: t("Earlier"), chats: [] },
  ];
  const newestFirst = [...rows].sort((a, b) => time(b) - time(a));
  for (const row of newestFirst) {
    const day = dayNumber(row.changed_at);
    const index = day >= today ? 0 : day >= today - 6 ? 1 : 2;
    groups[index]?.chats.push(row);
  }
  return groups.filter(({ chats }) => chats.length > 0);
}

const time = ({ changed_at }: ChatRow): number => new Date(changed_at).getTime();

/** Chats under Today, This week and Earlier, in the reader's own time zone. */
import { t } from "../../shared/i18n";
import type { ChatRow } from "./types";

export type Group = { name: string; chats: ChatRow[] };

const DAY_MS = 86_400_000;

/** Newest first; groups without chats are left out. */
export function grouped(rows: readonly ChatRow[], now: Date = new Date()): Group[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups: Group[] = [
    { name: t("Today"), chats: [] },
    { name: t("This week"), chats: [] },
    { name: t("Earlier"), chats: [] },
  ];
  const newestFirst = [...rows].sort((a, b) => time(b) - time(a));
  for (const row of newestFirst) {
    const index = time(row) >= today ? 0 : time(row) >= today - 6 * DAY_MS ? 1 : 2;
    groups[index]?.chats.push(row);
  }
  return groups.filter(({ chats }) => chats.length > 0);
}

const time = ({ changed_at }: ChatRow): number => new Date(changed_at).getTime();

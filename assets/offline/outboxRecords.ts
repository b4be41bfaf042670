/** The records of changes, in the order in which they were made. */
import { type ChangeRecord, openDatabase, type Sealed } from "./database";
import { unsealValue } from "./sealing";
import type { Account, Change, Question, Refusal } from "./types";

export type Stored = ChangeRecord & { seq: number };
export type Content = { change: Change; title: string; asked?: readonly Question[] };
export type Opened = Content & { record: Stored };

export const placeOf = (account: Account, id: string, part: string): string[] => [
  account.user,
  "outbox",
  id,
  part,
];

export async function listRecords({ user }: Account): Promise<Stored[]> {
  const records = await (await openDatabase()).getAllFromIndex("outbox", "account", user);
  return records as Stored[];
}

export async function openChange(account: Account, record: Stored): Promise<Opened> {
  const place = placeOf(account, record.id, "change");
  return { ...(await unsealValue<Content>(account.key, place, record.sealed)), record };
}

export async function openReason(
  account: Account,
  id: string,
  sealed: Sealed | null,
): Promise<Refusal | null> {
  return sealed && unsealValue<Refusal>(account.key, placeOf(account, id, "reason"), sealed);
}

/** Marks that the local state of a lesson has changed: pages without a connection may have left what is to be sent. */
import { openDatabase } from "./database";

export const unsettledKey = (user: string): string => `${user}/unsettled`;

export async function readUnsettled(user: string): Promise<boolean> {
  return (await (await openDatabase()).get("values", unsettledKey(user))) !== undefined;
}

/** Before changes are made of it: what is written meanwhile marks it again. */
export async function removeUnsettled(user: string): Promise<void> {
  await (await openDatabase()).delete("values", unsettledKey(user));
}

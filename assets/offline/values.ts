/** Sealed values of an account, and what it did in each lesson without a connection. */
import { mayStore } from "./account";
import { keysOf, openDatabase, type Sealed } from "./database";
import { runExclusively } from "./locks";
import { sealValue, unsealValue } from "./sealing";
import type { Account } from "./types";
import { unsettledKey } from "./unsettled";

/** A sealed value by name, such as "dashboard"; null if there is none, or it can't be read. */
export async function readValue<T>(account: Account, name: string): Promise<T | null> {
  const place = [account.user, "value", name];
  const sealed = (await (await openDatabase()).get("values", place.join("/"))) as
    Sealed | undefined;
  return sealed ? unsealValue<T>(account.key, place, sealed).catch(() => null) : null;
}

export async function writeValue(account: Account, name: string, value: unknown): Promise<void> {
  const place = [account.user, "value", name];
  const sealed = await sealValue(account.key, place, value);
  const transaction = (await openDatabase()).transaction(["accounts", "values"], "readwrite");
  // Another tab may have removed or locked the account.
  if (mayStore(await transaction.objectStore("accounts").get(account.user), account))
    await transaction.objectStore("values").put(sealed, place.join("/"));
  await transaction.done;
}

/** What all modules read of the local state of a lesson; the shell stores more in it. */
export type LocalState = { position?: number; isCompleted?: boolean };

const placeOf = (account: Account, lesson: string): string[] => [account.user, lesson, "progress"];

/** The local state of a lesson; null if there is none, or it can't be read. */
export async function readLocal<T extends LocalState>(
  account: Account,
  lesson: string,
): Promise<T | null> {
  const record = await (await openDatabase()).get("progress", [account.user, lesson]);
  if (!record) return null;
  return unsealValue<T>(account.key, placeOf(account, lesson), record.sealed).catch(() => null);
}

export async function writeLocal(
  account: Account,
  lesson: string,
  value: LocalState,
): Promise<void> {
  const sealed = await sealValue(account.key, placeOf(account, lesson), value);
  const stores = ["accounts", "progress", "values"] as const;
  const transaction = (await openDatabase()).transaction(stores, "readwrite");
  if (mayStore(await transaction.objectStore("accounts").get(account.user), account)) {
    await transaction.objectStore("progress").put({ account: account.user, lesson, sealed });
    await transaction.objectStore("values").put(true, unsettledKey(account.user));
  }
  await transaction.done;
}

/** Change the local state of a lesson, one change after the other over all tabs. Returns the new state. */
export function changeLocal<T extends LocalState>(
  account: Account,
  lesson: string,
  change: (known: T | null) => T,
): Promise<T> {
  return runExclusively(`study-offline-local-${lesson}`, async () => {
    const changed = change(await readLocal<T>(account, lesson));
    await writeLocal(account, lesson, changed);
    return changed;
  });
}

/** The local states of all lessons but those that can't be read. */
export async function listLocal<T extends LocalState>(account: Account): Promise<Map<string, T>> {
  const database = await openDatabase();
  const records = await database.getAll("progress", keysOf(account.user));
  const states = records.map(async ({ lesson, sealed }) => {
    const state = await unsealValue<T>(account.key, placeOf(account, lesson), sealed).catch(
      () => null,
    );
    return [lesson, state] as const;
  });
  const read = (await Promise.all(states)).filter((one): one is [string, T] => one[1] !== null);
  return new Map(read);
}

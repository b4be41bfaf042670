/** Whose lessons this browser shows. An account without its key is locked: nothing of it can be read. */
import { announceEvent } from "./channel";
import { type AccountRecord, keysOf, openDatabase } from "./database";
import { removeMarker } from "./marker";
import { SHELL_CACHE } from "./names";
import { unsealValue } from "./sealing";
import type { Account } from "./types";

/** The name of the value that says whose lessons are shown. */
export const CURRENT_ACCOUNT_KEY = "current";

export const placeOfName = (user: string): string[] => [user, "name"];

/** For whom the server rendered this page: a user, "" for a visitor, null for the shell, which names nobody. */
export function readPageUser(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? null;
}

export async function toAccount(record: AccountRecord | undefined): Promise<Account | null> {
  if (!record?.key) return null;
  const { user, device, key } = record;
  const name = record.name ? await unsealValue<string>(key, placeOfName(user), record.name) : "";
  return { user, name, device, key };
}

/** The account of this page; null if it stores nothing, is locked, or the browser has no database. */
export async function readAccount(): Promise<Account | null> {
  try {
    const database = await openDatabase();
    const user = (await database.get("values", CURRENT_ACCOUNT_KEY)) as string | undefined;
    const pageUser = readPageUser();
    if (user === undefined || (pageUser !== null && pageUser !== user)) return null;
    return await toAccount(await database.get("accounts", user));
  } catch {
    return null;
  }
}

/**
 * Whether what a page seals for its account may still be stored: it was not locked since, nor removed and opened again as
 * another device, with another key.
 */
export const mayStore = (
  record: AccountRecord | undefined,
  { device }: Pick<Account, "device">,
): boolean => record?.device === device && record.key !== null;

/** Whether the account of a page is still the one that this browser shows. */
export async function isCurrent(account: Account): Promise<boolean> {
  const database = await openDatabase();
  const user = await database.get("values", CURRENT_ACCOUNT_KEY);
  return user === account.user && mayStore(await database.get("accounts", user), account);
}

/** The record of an account, without its key for what needs none. */
export async function readAccountRecord(user: string): Promise<AccountRecord | undefined> {
  return (await openDatabase()).get("accounts", user);
}

/** Change the record of an account, if it is still there. */
export async function changeAccount(user: string, change: Partial<AccountRecord>): Promise<void> {
  const transaction = (await openDatabase()).transaction("accounts", "readwrite");
  const record = await transaction.store.get(user);
  if (record) await transaction.store.put({ ...record, ...change });
  await transaction.done;
}

/** Forget the keys of all accounts but one: what they store stays, unreadable. */
export function lockAccounts({ except = "" } = {}): Promise<void> {
  return lock((user) => user !== except);
}

/** Forget the key of an account: when its session has ended. */
export function lockAccount(user: string): Promise<void> {
  return lock((one) => one === user);
}

async function lock(isLocked: (user: string) => boolean): Promise<void> {
  const transaction = (await openDatabase()).transaction(["accounts", "values"], "readwrite");
  const accounts = transaction.objectStore("accounts");
  let isChanged = false;
  for (const record of await accounts.getAll()) {
    if (!isLocked(record.user) || !record.key) continue;
    await accounts.put({ ...record, key: null });
    isChanged = true;
  }
  const values = transaction.objectStore("values");
  const current = (await values.get(CURRENT_ACCOUNT_KEY)) as string | undefined;
  if (current !== undefined && isLocked(current)) await values.delete(CURRENT_ACCOUNT_KEY);
  await transaction.done;
  if (isChanged) announceEvent({ kind: "account" });
}

/** Delete all that this browser stores of an account. */
export async function removeAccount(user: string): Promise<void> {
  const database = await openDatabase();
  const stores = [
    "accounts",
    "lessons",
    "packages",
    "pieces",
    "outbox",
    "progress",
    "values",
  ] as const;
  const transaction = database.transaction(stores, "readwrite");
  await transaction.objectStore("accounts").delete(user);
  for (const name of ["lessons", "packages", "pieces", "progress"] as const)
    await transaction.objectStore(name).delete(keysOf(user));
  const outbox = transaction.objectStore("outbox");
  for (const seq of await outbox.index("account").getAllKeys(user)) await outbox.delete(seq);
  const values = transaction.objectStore("values");
  await values.delete(IDBKeyRange.bound(`${user}/`, `${user}/\uffff`));
  if ((await values.get(CURRENT_ACCOUNT_KEY)) === user) await values.delete(CURRENT_ACCOUNT_KEY);
  const left = await transaction.objectStore("accounts").getAllKeys();
  await transaction.done;
  if (left.length === 0) {
    removeMarker();
    await removeShells().catch(() => undefined); // browsers without caches
  }
  announceEvent({ kind: "account" });
}

/** Delete the shells of all builds: there is nothing to show in them. */
async function removeShells(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(SHELL_CACHE));
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** Delete what accounts without a key store here. */
export async function removeSignedOut(): Promise<void> {
  for (const { user, key } of await (await openDatabase()).getAll("accounts"))
    if (!key) await removeAccount(user);
}

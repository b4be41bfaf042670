/** The devices of an account: this browser gets its key from the server, and only while its learner is signed in. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import { session } from "../shared/auth/browser";
import { NotAuthenticated } from "../shared/auth/session";
import {
  CURRENT_ACCOUNT_KEY,
  placeOfName,
  readAccountRecord,
  removeAccount,
  toAccount,
} from "./account";
import { announceEvent } from "./channel";
import { noteServerTime } from "./clock";
import { followRefusal, isDeviceRemoved } from "./contact";
import { openDatabase } from "./database";
import { nameDevice } from "./deviceName";
import { runExclusively } from "./locks";
import { writeMarker } from "./marker";
import { importKey, sealValue } from "./sealing";
import type { Account } from "./types";
import { useNewestWorker } from "./workerUpdate";

type Opened = { uid: string; key: string; now: string };

/** Store the key of a device, make its account the current one, and lock all others. */
async function storeKey(user: string, opened: Opened): Promise<Account> {
  await noteServerTime(opened.now);
  const key = await importKey(opened.key);
  const signedIn = session.state.user;
  // Signed out by another tab while the key was on its way, or as somebody else: it must not be stored.
  if (signedIn?.id !== user) throw new NotAuthenticated();
  const first = signedIn["first_name"];
  const person = typeof first === "string" && first !== "" ? first : signedIn.username;
  const name = await sealValue(key, placeOfName(user), person);
  const database = await openDatabase();
  const transaction = database.transaction(["accounts", "values"], "readwrite");
  const accounts = transaction.objectStore("accounts");
  for (const other of await accounts.getAll())
    if (other.user !== user && other.key) await accounts.put({ ...other, key: null });
  const before = (await accounts.get(user)) ?? { checkedInAt: 0, build: "", siteBuild: "" };
  await accounts.put({ ...before, user, name, device: opened.uid, key });
  await transaction.objectStore("values").put(user, CURRENT_ACCOUNT_KEY);
  await transaction.done;
  writeMarker(user);
  announceEvent({ kind: "account" });
  return { user, name: person, device: opened.uid, key };
}

/** Open the account of the signed-in user if this browser stores something of it; null otherwise. Rejects offline. */
export async function openAccount(user: string): Promise<Account | null> {
  const record = await readAccountRecord(user);
  if (!record) return null;
  if (record.key) {
    await (await openDatabase()).put("values", user, CURRENT_ACCOUNT_KEY);
    return toAccount(record);
  }
  const path = { uid: record.device };
  try {
    const call = authenticatedApi.GET("/api/v1/offline/devices/{uid}/", { params: { path } });
    return await storeKey(user, await unwrap(call));
  } catch (reason) {
    if (!isDeviceRemoved(reason)) throw reason;
    await followRefusal(record, reason);
    if (await readAccountRecord(user)) throw reason;
    return null;
  }
}

/** Open the account of the signed-in user, as a new device if it stores nothing yet. Throws an ApiError. */
export function startAccount(user: string): Promise<Account> {
  // Two tabs at once must not make two devices: each would have its own key.
  return runExclusively(`study-offline-account-${user}`, () => start(user));
}

async function start(user: string): Promise<Account> {
  const account = await openAccount(user);
  if (account) return account;
  const body = { name: nameDevice() };
  const call = authenticatedApi.POST("/api/v1/offline/devices/", { body });
  const started = await storeKey(user, await unwrap(call));
  await useNewestWorker().catch(() => undefined);
  return started;
}

/** Delete all of an account here, and its device on the server if that can be reached. */
export async function removeDevice(user: string): Promise<void> {
  const record = await readAccountRecord(user);
  await removeAccount(user);
  if (!record) return;
  const path = { uid: record.device };
  const call = authenticatedApi.DELETE("/api/v1/offline/devices/{uid}/", { params: { path } });
  await call.catch(() => undefined); // the server forgets it by itself
}

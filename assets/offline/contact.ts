/** What a failed call means for the account. */
import { ApiError } from "../shared/api/errors";
import { fetchSession, session } from "../shared/auth/browser";
import { lockAccount, readAccountRecord, removeAccount } from "./account";
import type { Account } from "./types";

/** The server no longer knows this device: what it stores is to be deleted. */
export function isDeviceRemoved(reason: unknown): boolean {
  return reason instanceof ApiError && reason.problem.code === ("OFFLINE_DEVICE_REMOVED" as string);
}

/** gone: the account was locked or removed; later: no response, or one that asks to wait; refused: it will not succeed. */
export type Meaning = "gone" | "later" | "refused";

/**
 * Lock or remove the account if the server says so. To the session of somebody else it says the same, and a page may be
 * older than the session or the device: so it is asked who is signed in.
 */
export async function followRefusal(
  { user, device }: Pick<Account, "user" | "device">,
  reason: unknown,
): Promise<Meaning> {
  if (!(reason instanceof ApiError)) return "later";
  const { status } = reason;
  const isRemoved = isDeviceRemoved(reason);
  if (!isRemoved && status !== 401)
    return status === 0 || status === 408 || status === 429 || status >= 500 ? "later" : "refused";
  const signedIn = await fetchSession().catch(() => undefined);
  if (signedIn === undefined) return "later";
  if (signedIn?.user.id !== user) await lockAccount(user);
  // This page has asked with the token of somebody else.
  else if (!isRemoved || session.state.user?.id !== user) return "later";
  else if ((await readAccountRecord(user))?.device === device) await removeAccount(user);
  return "gone";
}

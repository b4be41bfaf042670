/** What a failed call means for the account. */
import { ApiError } from "../shared/api/errors";
import { lockAccount, removeAccount } from "./account";
import type { Account } from "./types";

/** The server no longer knows this device: what it stores is to be deleted. */
export function isDeviceRemoved(reason: unknown): boolean {
  return reason instanceof ApiError && reason.problem.code === ("OFFLINE_DEVICE_REMOVED" as string);
}

/** gone: the account was locked or removed; later: no response, or one that asks to wait; refused: it will not succeed. */
export type Meaning = "gone" | "later" | "refused";

/** Lock or remove the account if the server says so. */
export async function followRefusal({ user }: Account, reason: unknown): Promise<Meaning> {
  if (!(reason instanceof ApiError)) return "later";
  if (isDeviceRemoved(reason)) {
    await removeAccount(user);
    return "gone";
  }
  if (reason.status === 401) {
    await lockAccount();
    return "gone";
  }
  const { status } = reason;
  return status === 0 || status === 408 || status === 429 || status >= 500 ? "later" : "refused";
}

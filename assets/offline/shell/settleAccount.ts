/** For pages of the server: makes changes of what pages of the shell have left that were closed before they could. */
import { readNow } from "../clock";
import type { Account } from "../types";
import { makeStore } from "./browserStore";
import { settleAll } from "./settle";

export async function settleAccount(account: Account): Promise<void> {
  const now = await readNow();
  await settleAll(makeStore(account, () => now));
}

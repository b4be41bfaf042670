import { useEffect, useState } from "react";

import type { Store } from "../../offline/controls/store";
import type { Account } from "../../offline/types";

/**
 * The uid of who is signed in; "" for nobody, null until that is known. The page names nobody, so the server is asked.
 * What this browser stores of the one who signed in again is opened, and the page loaded again with it.
 * @param known the account that is open here: there is nothing to find out
 */
export function useSignedInUser(
  store: Store,
  isOnline: boolean,
  known: Account | null,
): string | null {
  const opened = known?.user ?? "";
  const [user, setUser] = useState<string | null>(null);
  useEffect(() => {
    if (!isOnline || opened) return;
    let isShown = true;
    const find = async (): Promise<void> => {
      const found = await store.findUser().catch(() => null);
      const open = await store.readAccount().catch(() => null);
      const isToOpen = found !== null && found !== open?.user;
      const account = isToOpen ? await store.openAccount(found).catch(() => null) : null;
      if (!isShown) return;
      if (account) location.reload();
      else setUser(found ?? "");
    };
    void find();
    return () => {
      isShown = false;
    };
  }, [store, isOnline, opened]);
  if (opened) return opened;
  return isOnline ? user : "";
}

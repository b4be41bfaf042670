import { useEffect } from "react";

import type { Transfers } from "./transfers";

/** The browser asks before a page is left that is still sending; back online, what stopped goes on. */
export function useGuardedLeaving(transfers: Transfers): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (transfers.isBusy) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    addEventListener("online", transfers.resumeInterrupted);
    return () => {
      removeEventListener("beforeunload", ask);
      removeEventListener("online", transfers.resumeInterrupted);
    };
  }, [transfers]);
}

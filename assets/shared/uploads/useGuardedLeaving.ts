import { useEffect } from "react";

import type { Transfers } from "./transfers";

/** Has the browser ask before the page is left during an upload, and resumes uploads when back online. */
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

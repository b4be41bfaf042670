import { useCallback, useEffect, useState } from "react";

import { createDownloadAnnouncer } from "../../offline/controls/announceDownloads";
import type { SignedOutLessons, Store } from "../../offline/controls/store";
import type {
  Account,
  OfflineLesson,
  Preferences,
  Refusal,
  StorageUse,
  WaitingChange,
} from "../../offline/types";

/** All that the page shows of this device. */
export type Library = {
  /** Why nothing can be stored here. */
  refusal: Refusal | null;
  account: Account | null;
  lessons: OfflineLesson[];
  changes: WaitingChange[];
  use: StorageUse;
  preferences: Preferences;
  signedOut: SignedOutLessons;
};

/** Progress of a download is reported more often than people can read. */
const MIN_INTERVAL_MS = 500;

const NOTHING: Omit<Library, "refusal"> = {
  account: null,
  lessons: [],
  changes: [],
  use: { own: 0, others: 0, granted: 0, isPersistent: false },
  preferences: { quality: "720p", isWifiOnly: false, removesFinished: false, limit: 0 },
  signedOut: { lessons: 0, size: 0 },
};

async function readLibrary(store: Store): Promise<Library> {
  const refusal = await store.whyNotPossible();
  if (refusal) return { ...NOTHING, refusal };
  const account = await store.readAccount();
  const [lessons, changes, use, preferences, signedOut] = await Promise.all([
    account ? store.listLessons(account) : [],
    account ? store.listChanges(account) : [],
    store.readStorageUse(account),
    store.readPreferences(),
    store.countSignedOut(),
  ]);
  return { refusal, account, lessons, changes, use, preferences, signedOut };
}

/** What is stored, kept fresh; null until it is read. `reload` reads it again at once. */
export function useLibrary(store: Store): {
  library: Library | null;
  error: unknown;
  reload: () => Promise<void>;
} {
  const [library, setLibrary] = useState<Library | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [announceDownloads] = useState(createDownloadAnnouncer);

  const reload = useCallback(async (): Promise<void> => {
    try {
      const next = await readLibrary(store);
      announceDownloads(next.lessons);
      setLibrary(next);
      setError(null);
    } catch (reason) {
      setError(reason);
    }
  }, [announceDownloads, store]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void reload();
      }, MIN_INTERVAL_MS);
    };
    void reload();
    const stop = store.subscribe(plan);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store, reload]);

  return { library, error, reload };
}

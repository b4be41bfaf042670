/** The space that lessons may take on this device. */
import type { OfflineLesson, Preferences, StorageUse } from "../types";
import { sizeToCome } from "./picking";
import type { Store } from "./store";

export type DeviceState = {
  stored: readonly OfflineLesson[];
  use: StorageUse;
  preferences: Preferences;
};

export async function readDevice(store: Store): Promise<DeviceState> {
  const account = await store.readAccount();
  const [stored, use, preferences] = await Promise.all([
    account ? store.listLessons(account) : [],
    store.readStorageUse(account),
    store.readPreferences(),
  ]);
  return { stored, use, preferences };
}

/** Bytes that lessons may take: the learner's limit, unless the browser grants less. */
export function findLimit({ use, preferences }: Omit<DeviceState, "stored">): number {
  return use.granted > 0 ? Math.min(preferences.limit, use.granted) : preferences.limit;
}

/** What is left of the limit once all that waits is downloaded. */
export function findFree(device: DeviceState): number {
  const { stored, use } = device;
  return Math.max(0, findLimit(device) - use.own - use.others - sizeToCome(stored));
}

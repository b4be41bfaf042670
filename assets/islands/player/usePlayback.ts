import { useSyncExternalStore } from "react";

import type { Playback, PlaybackState } from "./engine/playback";
import type { Store } from "./engine/store";

/** A part of the playback state. Renders when it changes, so `select` must return identical values for equal states. */
export function usePlayback<T>(playback: Playback, select: (state: PlaybackState) => T): T {
  return useSyncExternalStore(playback.subscribe, () => select(playback.state));
}

/** The value of a store. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, () => store.state);
}

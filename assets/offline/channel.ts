/** What tabs tell each other about offline lessons. */
import type { SyncReport } from "./types";

/**
 * lessons: the list has changed; progress: some more of a lesson is stored; account: it was signed in, locked or
 * removed; outbox: changes were added or sent; preferences: they were changed; synced: what came of sending them; stop: leave off downloading;
 * playing: who plays answers with `plays`.
 */
export type LibraryEvent =
  | { kind: "lessons" | "account" | "outbox" | "preferences" }
  | { kind: "progress"; uid: string; received: number; size: number }
  | { kind: "synced"; report: SyncReport }
  | { kind: "stop"; uid: string }
  | { kind: "playing" | "plays"; question: string };

const CHANNEL_NAME = "study-offline";

const listeners = new Set<(event: LibraryEvent) => void>();
const listenersToOthers = new Set<(event: LibraryEvent) => void>();
let channel: BroadcastChannel | null = null;

function deliver(event: LibraryEvent): void {
  for (const listener of [...listeners]) listener(event);
}

function openChannel(): BroadcastChannel | null {
  if (!("BroadcastChannel" in globalThis)) return null;
  channel ??= new BroadcastChannel(CHANNEL_NAME);
  channel.onmessage = ({ data }) => {
    deliver(data as LibraryEvent);
    for (const listener of [...listenersToOthers]) listener(data as LibraryEvent);
  };
  return channel;
}

/** Tell this tab and all others. */
export function announceEvent(event: LibraryEvent): void {
  deliver(event);
  openChannel()?.postMessage(event);
}

/** Hear what happens in this tab and the others. Returns a function that stops it. */
export function listenToEvents(listener: (event: LibraryEvent) => void): () => void {
  return listen(listeners, listener);
}

/** Hear what happens in other tabs only. Returns a function that stops it. */
export function listenToOtherTabs(listener: (event: LibraryEvent) => void): () => void {
  return listen(listenersToOthers, listener);
}

function listen(all: typeof listeners, listener: (event: LibraryEvent) => void): () => void {
  openChannel();
  all.add(listener);
  return () => {
    all.delete(listener);
    if (listeners.size + listenersToOthers.size > 0) return;
    channel?.close();
    channel = null;
  };
}

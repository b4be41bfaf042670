/** The interface between the playback and what loads the media, so that the playback knows nothing of HLS. */

export type Quality = "auto" | "1080p" | "720p" | "480p" | "audio";

export type Sources = {
  master: string;
  audio: string | null;
  /** The sound as one file, for browsers without HLS. */
  sound: string | null;
};

export type StreamEvents = {
  /** The available qualities are known, as heights such as "720p". */
  onQualities: (heights: string[]) => void;
  /** The quality that plays now, such as "720p"; `isForced` if a slow connection lowered it. */
  onSwitched: (height: string, isForced: boolean) => void;
  /** Media was loaded, so an earlier failure is over. */
  onLoaded: () => void;
  onFailed: (failure: Failure) => void;
};

/**
 * `start`: nothing could be loaded; `network`: the connection broke; `expired`: the signed addresses are too old;
 * `gone`: there is nothing at the addresses; `format`: the browser knows none of the codecs; `protected`: the media is
 * encrypted, and the browser has no permission to play it.
 */
export type Failure = "start" | "network" | "expired" | "gone" | "media" | "format" | "protected";

export interface Stream {
  /** Load from this second. */
  load(sources: Sources, at: number, quality: Quality): void;
  /** Change the quality at this second. Returns true if that replaced the source of the element. */
  choose(quality: Quality, at: number): boolean;
  /** Load again after a failure. */
  retry(at: number): void;
  destroy(): void;
}

export type CreateStream = (
  video: HTMLMediaElement,
  events: StreamEvents,
) => Promise<Stream | null>;

/** What a page and the player in a frame of another host tell each other, by `postMessage` and without a script of that host. */
import type { Commands, RemoteMedia } from "./remoteMedia";

/** Why a host plays nothing: it is gone, its owner or the country forbids it here, or something else. */
export type Problem = "gone" | "forbidden" | "failed";

/** One host's messages. */
export type Protocol = Commands & {
  /** The address to load: from this second, playing at once. */
  addressAt: (second: number) => string;
  /** Ask the player to tell. Repeated until it does. */
  greet(): void;
  /** The player answered for the first time. */
  subscribe(): void;
  /** Read a message of the player. */
  receive(message: Record<string, unknown>): void;
};

export type Link = {
  /** Send a message to the player in the frame. */
  post: (message: unknown) => void;
  media: () => RemoteMedia;
  onProblem: (problem: Problem) => void;
};

/** The message as an object; null if it is none. Hosts send objects, or objects as JSON. */
export function parseMessage(data: unknown): Record<string, unknown> | null {
  let value = data;
  if (typeof data === "string") {
    try {
      value = JSON.parse(data);
    } catch {
      return null;
    }
  }
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
}

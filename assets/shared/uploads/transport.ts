/** How a file travels. The store of transfers knows only this shape; tests bring their own. */
import type { ApiError } from "../api/errors";

export type Task = {
  file: File;
  /** What the server is told: the lesson it is for, the video it replaces. */
  target: string | null;
  replaces: string | null;
  /** Where an earlier try lies on the server. */
  url: string | null;
};

export type TransportEvents = {
  /** The server has made room: where the bytes go and which video they become. */
  onCreated: (url: string, video: string | null) => void;
  /** Bytes that the server has, or that are on their way to it. */
  onProgress: (sent: number) => void;
  onDone: () => void;
  onFail: (error: ApiError) => void;
};

export type Running = {
  /** Stop sending; what arrived is kept. */
  stop: () => void;
};

export type Transport = {
  start: (task: Task, events: TransportEvents) => Running;
  /** Where an earlier try of this very file lies, if this browser remembers one. */
  findPrevious: (file: File) => Promise<string | null>;
  /** Give an upload up: its bytes and its room are freed. */
  remove: (url: string) => Promise<void>;
};

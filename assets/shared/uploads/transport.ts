/** The interface of file uploads. Transfers depend on it only; tests pass their own. */
import type { ApiError } from "../api/errors";

export type Task = {
  file: File;
  /** The uids of the lesson that gets the file and of the video that it replaces. */
  target: string | null;
  replaces: string | null;
  /** What happens if the folder of a library has a file of this name; without it, the new one gets a number. */
  conflict?: "rename" | "replace";
  /** The address of an earlier upload to resume. */
  url: string | null;
};

export type TransportEvents = {
  /** The server has created the upload: its address, and the uid of the video. */
  onCreated: (url: string, video: string | null) => void;
  /** Bytes sent so far. */
  onProgress: (sent: number) => void;
  onDone: () => void;
  onFail: (error: ApiError) => void;
};

export type Running = {
  /** Stop sending; the server keeps what it has. */
  stop: () => void;
};

export type Transport = {
  start: (task: Task, events: TransportEvents) => Running;
  /** The address of an earlier upload of this file from this browser. */
  findPrevious: (file: File) => Promise<string | null>;
  /** Cancel an upload: its bytes are deleted and its storage is freed. */
  remove: (url: string) => Promise<void>;
};

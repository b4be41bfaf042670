/** A transport without a network, for tests. */
import { makeError } from "../api/errors";
import type { Running, Task, Transport, TransportEvents } from "./transport";

export type FakeUpload = Task & {
  events: TransportEvents;
  isStopped: boolean;
};

export class FakeTransport implements Transport {
  uploads: FakeUpload[] = [];
  removed: string[] = [];
  previous = new Map<string, string>();

  start(task: Task, events: TransportEvents): Running {
    const upload: FakeUpload = { ...task, events, isStopped: false };
    this.uploads.push(upload);
    return { stop: () => (upload.isStopped = true) };
  }

  findPrevious(file: File): Promise<string | null> {
    return Promise.resolve(this.previous.get(file.name) ?? null);
  }

  remove(url: string): Promise<void> {
    this.removed.push(url);
    return Promise.resolve();
  }

  /** The latest upload of this file. */
  of(name: string): FakeUpload {
    const found = this.uploads.findLast(({ file }) => file.name === name);
    if (!found) throw new Error(`${name} was never started`);
    return found;
  }

  breakOff(name: string): void {
    this.of(name).events.onFail(makeError("UPLOAD_NETWORK_ERROR"));
  }
}

/** A file that reports this size. */
export function fileOf(name: string, size: number): File {
  const file = new File(["x"], name, { type: "video/mp4" });
  Object.defineProperty(file, "size", { value: size });
  return file;
}

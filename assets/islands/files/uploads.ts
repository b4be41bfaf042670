/** Uploads into the folders of a library. */
import type { Transport } from "../../shared/uploads/transport";
import { tusTransport } from "../../shared/uploads/tusTransport";

/** The target of an upload into a folder; null: the top. As `library_target` on the server. */
export const targetOf = (folder: string | null): string =>
  folder === null ? "library" : `library/${folder.replaceAll("-", "")}`;

/** A transport for each target: an upload into one folder must not be resumed for another. */
export function libraryTransports(endpoint: string): (target: string | null) => Transport {
  const made = new Map<string, Transport>();
  return (target) => {
    const scope = target ?? "library";
    const transport = made.get(scope) ?? tusTransport(endpoint, "file", scope);
    made.set(scope, transport);
    return transport;
  };
}

/** One transport for the uploads into all folders. */
export function libraryTransport(transportFor: (target: string | null) => Transport): Transport {
  return {
    start: (task, events) => transportFor(task.target).start(task, events),
    findPrevious: (file) => transportFor(null).findPrevious(file),
    remove: (url) => transportFor(null).remove(url),
  };
}

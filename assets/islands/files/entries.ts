/** Folders and files in one list. */
import type { FileItem, FolderItem, Uids } from "./api";

export type Entry = ({ is: "folder" } & FolderItem) | ({ is: "file" } & FileItem);

export const entryOfFolder = (folder: FolderItem): Entry => ({ is: "folder", ...folder });
export const entryOfFile = (file: FileItem): Entry => ({ is: "file", ...file });

export function uidsOf(entries: readonly Entry[]): Uids {
  const of = (is: Entry["is"]): string[] =>
    entries.filter((entry) => entry.is === is).map(({ uid }) => uid);
  return { files: of("file"), folders: of("folder") };
}

/** Bytes of the files; null if there are folders, whose size is not known. */
export function sizeOf(entries: readonly Entry[]): number | null {
  let sum = 0;
  for (const entry of entries) {
    if (entry.is === "folder") return null;
    sum += entry.size;
  }
  return sum;
}

/** A name as the server compares it: names that look alike collide. */
export const sortName = (name: string): string => name.normalize("NFKC").toLowerCase();

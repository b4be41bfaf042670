/**
 * The files behind unfinished uploads, for browsers that can open a file again later (File System Access): stored in
 * IndexedDB, so that an upload continues after the browser was closed. Elsewhere the user chooses the file again.
 */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** What TypeScript doesn't know of File System Access: https://wicg.github.io/file-system-access/ */
type Permission = { mode: "read" };
type OpenableHandle = FileSystemFileHandle & {
  queryPermission?: (of: Permission) => Promise<PermissionState>;
  requestPermission?: (of: Permission) => Promise<PermissionState>;
};
type Picker = (options: {
  multiple: boolean;
  types: { accept: Record<string, string[]> }[];
}) => Promise<FileSystemFileHandle[]>;
type DroppedItem = DataTransferItem & {
  getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
};

/** The file of an unfinished upload, as this browser remembers it. */
export type StoredFile = {
  /** The address of the upload. */
  url: string;
  /** The account that uploads it: another one of this browser neither sees nor sends it. */
  user: string;
  name: string;
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970, as the file said when its upload began. */
  lastModified: number;
  handle: FileSystemFileHandle;
  /** The user paused it: it doesn't continue by itself. */
  isPaused: boolean;
};

interface Schema extends DBSchema {
  files: { key: string; value: StoredFile };
}

const DATABASE = "study.uploads";
const handles = new WeakMap<File, FileSystemFileHandle>();

let opening: Promise<IDBPDatabase<Schema>> | null = null;

function openDatabase(): Promise<IDBPDatabase<Schema>> {
  opening ??= openDB<Schema>(DATABASE, 1, {
    upgrade(database) {
      database.createObjectStore("files", { keyPath: "url" });
    },
    terminated() {
      opening = null;
    },
  });
  opening.catch(() => {
    opening = null; // storage is blocked or full: the next call tries again
  });
  return opening;
}

/** The handle of a file that was chosen or dropped in a way that gives one. */
export function handleOf(file: File): FileSystemFileHandle | null {
  return handles.get(file) ?? null;
}

/** Read the file of a handle, and remember the handle for it. */
export async function readHandle(handle: FileSystemFileHandle): Promise<File> {
  const file = await handle.getFile();
  handles.set(file, handle);
  return file;
}

/** Whether this browser can open the files again that it lets users choose. */
export function canReopenFiles(): boolean {
  return "showOpenFilePicker" in window && "indexedDB" in window;
}

/** Let the user choose files that can be opened again later; none if they cancel. */
export async function chooseFiles(endings: readonly string[]): Promise<File[]> {
  const pick = (window as unknown as { showOpenFilePicker: Picker }).showOpenFilePicker;
  try {
    const chosen = await pick({ multiple: true, types: [{ accept: { "video/*": [...endings] } }] });
    return await Promise.all(chosen.map(readHandle));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return [];
    throw error;
  }
}

/**
 * Remember the handles of dropped files. Call it during the event, before anything is awaited.
 * @returns what resolves once they are known: a list of the dropped files that can be opened again.
 */
export function takeHandles(transfer: DataTransfer): Promise<FileSystemFileHandle[]> {
  const asked = [...transfer.items].map((item: DroppedItem) =>
    item.kind === "file" && item.getAsFileSystemHandle
      ? item.getAsFileSystemHandle().catch(() => null)
      : Promise.resolve(null),
  );
  return Promise.all(asked).then((found) =>
    found.filter((one): one is FileSystemFileHandle => one?.kind === "file"),
  );
}

/** Remember for each file the handle with its name, if exactly one has it. */
export function matchHandles(files: readonly File[], found: readonly FileSystemFileHandle[]): void {
  for (const file of files) {
    const named = found.filter(({ name }) => name === file.name);
    if (named.length === 1 && named[0]) handles.set(file, named[0]);
  }
}

/** The stored files of an account. Empty if the browser's storage is blocked. */
export async function loadStoredFiles(user: string): Promise<StoredFile[]> {
  try {
    const all = await (await openDatabase()).getAll("files");
    return all.filter((one) => one.user === user);
  } catch {
    return [];
  }
}

/** Store the file of an upload. Nothing happens if the browser's storage is blocked or full. */
export async function storeFile(stored: StoredFile): Promise<void> {
  try {
    await (await openDatabase()).put("files", stored);
  } catch {
    // The upload goes on; after a restart its file has to be chosen again.
  }
}

export async function forgetFile(url: string): Promise<void> {
  try {
    await (await openDatabase()).delete("files", url);
  } catch {
    // It is forgotten when the list is next compared with the server.
  }
}

export type Reopened = { state: "open"; file: File } | { state: "ask" | "changed" | "gone" };

/**
 * Open a stored file again.
 *
 * "ask": the browser wants the user to agree first, "changed": it isn't the file whose upload began, "gone": it was
 * moved, renamed or deleted.
 * @param mayAsk whether the browser may ask: only during a click.
 */
export async function reopenFile(stored: StoredFile, mayAsk: boolean): Promise<Reopened> {
  const handle: OpenableHandle = stored.handle;
  let permission = (await handle.queryPermission?.({ mode: "read" })) ?? "granted";
  if (permission === "prompt" && mayAsk)
    permission = (await handle.requestPermission?.({ mode: "read" })) ?? "granted";
  if (permission !== "granted") return { state: "ask" };
  let file: File;
  try {
    file = await readHandle(handle);
  } catch {
    return { state: "gone" };
  }
  const isSame = file.size === stored.size && file.lastModified === stored.lastModified;
  return isSame ? { state: "open", file } : { state: "changed" };
}

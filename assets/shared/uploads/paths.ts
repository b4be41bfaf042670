/** The relative paths of files that came with their folder. */

const dropped = new WeakMap<File, string>();

/** "Walks/2024/a.jpg" if the file was chosen or dropped with its folder, else "". */
export function pathOf(file: File): string {
  return dropped.get(file) ?? file.webkitRelativePath;
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** All entries of a folder: browsers hand them out a hundred at a time. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const next = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (next.length === 0) return found;
    found.push(...next);
  }
}

/** The files of a drop, and the paths of what can't be read: the others are taken. */
export type Dropped = { files: File[]; unreadable: string[] };

async function filesOf(
  entry: FileSystemEntry,
  folder: string,
  unreadable: string[],
): Promise<File[]> {
  const path = `${folder}${entry.name}`;
  try {
    return await readEntry(entry, folder, path, unreadable);
  } catch {
    unreadable.push(path);
    return [];
  }
}

async function readEntry(
  entry: FileSystemEntry,
  folder: string,
  path: string,
  unreadable: string[],
): Promise<File[]> {
  if (entry.isFile) {
    const file = await readFile(entry as FileSystemFileEntry);
    if (folder) dropped.set(file, path);
    return [file];
  }
  const inside = await readFolder(entry as FileSystemDirectoryEntry);
  const found = await Promise.all(inside.map((one) => filesOf(one, `${path}/`, unreadable)));
  return found.flat();
}

/** The files of a drop, with those of dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<Dropped> {
  // Entries are only available during the event, so collect them before the first await.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const unreadable: string[] = [];
  if (entries.length === 0) return { files: [...transfer.files], unreadable };
  const found = await Promise.all(entries.map((entry) => filesOf(entry, "", unreadable)));
  return { files: found.flat(), unreadable };
}

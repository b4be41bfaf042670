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

async function filesOf(entry: FileSystemEntry, folder: string): Promise<File[]> {
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await readFile(entry as FileSystemFileEntry);
    if (folder) dropped.set(file, path);
    return [file];
  }
  const inside = await readFolder(entry as FileSystemDirectoryEntry);
  const found = await Promise.all(inside.map((one) => filesOf(one, `${path}/`)));
  return found.flat();
}

/** The files of a drop, with those of dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // Entries are only available during the event, so collect them before the first await.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...transfer.files];
  const found = await Promise.all(entries.map((entry) => filesOf(entry, "")));
  return found.flat();
}

/** What is selected, and which entry has the focus. Independent of React. */

export type Selection = {
  uids: ReadonlySet<string>;
  /** Where a range starts: the entry that was selected last. */
  anchor: string | null;
};

export const nothing: Selection = { uids: new Set(), anchor: null };

export function toggled({ uids }: Selection, uid: string): Selection {
  const next = new Set(uids);
  if (!next.delete(uid)) next.add(uid);
  return { uids: next, anchor: uid };
}

export const only = (uid: string): Selection => ({ uids: new Set([uid]), anchor: uid });

/** Select from the anchor to `uid`, in the given order, in addition to what is selected. */
export function extended(selection: Selection, uid: string, order: readonly string[]): Selection {
  const end = order.indexOf(uid);
  const anchor = selection.anchor ?? order[0] ?? uid;
  const start = order.includes(anchor) ? order.indexOf(anchor) : end;
  const range = order.slice(Math.min(start, end), Math.max(start, end) + 1);
  return { uids: new Set([...selection.uids, ...range]), anchor };
}

export const all = (order: readonly string[]): Selection => ({
  uids: new Set(order),
  anchor: order[0] ?? null,
});

/** The selection without what is no longer listed. */
export function kept(selection: Selection, order: readonly string[]): Selection {
  const left = order.filter((uid) => selection.uids.has(uid));
  if (left.length === selection.uids.size) return selection;
  const anchor = selection.anchor !== null && left.includes(selection.anchor);
  return { uids: new Set(left), anchor: anchor ? selection.anchor : null };
}

/** Folders come first, in rows of so many; then files. */
export type Layout = {
  folders: number;
  files: number;
  folderColumns: number;
  fileColumns: number;
};

/** The index to which a key moves the focus from an index; null if the key moves nothing. */
export function moved(key: string, index: number, layout: Layout): number | null {
  const { folders, files, folderColumns, fileColumns } = layout;
  const last = folders + files - 1;
  if (last < 0) return null;
  const within = (wanted: number): number => Math.min(last, Math.max(0, wanted));
  const isFolder = index < folders;
  const columns = isFolder ? folderColumns : fileColumns;
  const at = isFolder ? index : index - folders;
  const count = isFolder ? folders : files;
  const column = at % columns;
  switch (key) {
    case "Home":
      return 0;
    case "End":
      return last;
    case "ArrowLeft":
      return columns > 1 ? within(index - 1) : null;
    case "ArrowRight":
      return columns > 1 ? within(index + 1) : null;
    case "ArrowDown": {
      if (at + columns < count) return index + columns;
      const isLastRow = Math.floor(at / columns) === Math.floor((count - 1) / columns);
      if (!isLastRow) return index + (count - 1 - at);
      return isFolder && files > 0 ? folders + Math.min(files - 1, column, fileColumns - 1) : index;
    }
    case "ArrowUp": {
      if (at - columns >= 0) return index - columns;
      if (isFolder || folders === 0) return index;
      const lastRow = Math.floor((folders - 1) / folderColumns) * folderColumns;
      return Math.min(folders - 1, lastRow + column);
    }
    default:
      return null;
  }
}

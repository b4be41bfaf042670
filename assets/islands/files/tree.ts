/** The folders of a user as a tree. */
import type { TreeFolder } from "./api";

export type Node = {
  uid: string | null;
  name: string;
  level: number;
  parent: string | null;
  hasChildren: boolean;
};

/** The nodes that show while these folders are open, from the top; `name`: what the top is called. */
export function visibleNodes(
  folders: readonly TreeFolder[],
  open: ReadonlySet<string | null>,
  name: string,
): Node[] {
  const children = new Map<string | null, TreeFolder[]>();
  for (const folder of folders)
    children.set(folder.parent, [...(children.get(folder.parent) ?? []), folder]);
  const found: Node[] = [];
  const walk = (uid: string | null, label: string, parent: string | null, level: number): void => {
    const inside = children.get(uid) ?? [];
    found.push({ uid, name: label, level, parent, hasChildren: inside.length > 0 });
    if (open.has(uid)) for (const one of inside) walk(one.uid, one.name, uid, level + 1);
  };
  walk(null, name, null, 1);
  return found;
}

/** The folders above one, from the top (null). */
export function above(folders: readonly TreeFolder[], uid: string | null): (string | null)[] {
  const parents = new Map(folders.map((folder) => [folder.uid, folder.parent]));
  const found: (string | null)[] = [];
  let at = uid;
  while (at !== null && parents.has(at)) {
    at = parents.get(at) ?? null;
    found.unshift(at);
  }
  return found.length > 0 ? found : [null];
}

/** Which new files have names that are taken. */
import { fetchPage, type Listing } from "./api";
import { sortName } from "./entries";

/** Pages of a folder that are read to find taken names: 500 files. Beyond it, the server numbers them. */
const MOST_PAGES = 5;

/** The first part of a file's path, or its name: what it will be called in the folder. */
export const topName = (name: string, path: string): string =>
  path ? (path.split("/")[0] ?? name) : name;

/** Those of the names that the folder contains, as they are written here. */
export async function takenNames(
  folder: string | null,
  names: readonly string[],
): Promise<string[]> {
  const wanted = new Map(names.map((name) => [sortName(name), name]));
  const found = new Set<string>();
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listing: Listing = await fetchPage({ folder, q: "", sort: "name" }, cursor);
    for (const { name } of [...listing.folders, ...listing.files]) {
      const written = wanted.get(sortName(name));
      if (written !== undefined) found.add(written);
    }
    cursor = listing.next;
    if (cursor === null) break;
  }
  return [...found];
}

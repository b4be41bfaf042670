/** The shell that the service worker shows where a page can't be reached, and its files. */
import { openDatabase } from "../database";
import { SHELL_CACHE, SHELL_PAGE, STATIC_PATH } from "../names";

/** Of whose lessons the shell is wanted; empty if nothing is stored. */
async function readBuild(): Promise<string> {
  try {
    const database = await openDatabase();
    const user = (await database.get("values", "current")) as string | undefined;
    return user === undefined ? "" : ((await database.get("accounts", user))?.build ?? "");
  } catch {
    return ""; // no database: no lessons
  }
}

/** The page of the shell that goes with the lessons of the current account. Undefined if none is stored. */
export async function findOwnShell(): Promise<Response | undefined> {
  const build = await readBuild();
  return build === "" ? undefined : caches.match(SHELL_PAGE, { cacheName: SHELL_CACHE + build });
}

/** The page of the current account's shell; else of the oldest one that is complete. Undefined if none is stored. */
export async function findShell(): Promise<Response | undefined> {
  const names = (await caches.keys()).filter((name) => name.startsWith(SHELL_CACHE));
  if (names.length === 0) return undefined;
  const wanted = SHELL_CACHE + (await readBuild());
  for (const cacheName of [wanted, ...names]) {
    const page = names.includes(cacheName) && (await caches.match(SHELL_PAGE, { cacheName }));
    if (page) return page;
  }
  return undefined;
}

/** A file of a shell: its name has a hash, so it is the same in each of them. */
export async function answerStatic(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const stored = await caches.match(pathname);
  return stored ?? fetch(pathname.replace(STATIC_PATH, "/static/"));
}

/**
 * The shell: the page that shows lessons without a connection, with its scripts and styles. Each build of the site has its
 * own, and a lesson's page goes with the shell of its build. When the site has changed, the new shell is stored first,
 * then the pages of the lessons; then the account moves to the new build at once, and old shells are deleted.
 */
import { api, unwrap } from "../shared/api/client";
import { changeAccount, readAccountRecord } from "./account";
import { readNow } from "./clock";
import { finishWanted } from "./copies";
import { openDatabase } from "./database";
import { isQuotaError, prepareLesson } from "./downloadLesson";
import { runAtOnce } from "./runAtOnce";
import { readRecords, updateRecord } from "./lessons";
import { SHELL_CACHE, SHELL_PAGE } from "./names";
import type { Account } from "./types";

const MAX_FETCHES = 6;
/** The page says itself which policy it has; these can't be said in a page. */
const PAGE_HEADERS = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin" };

/** Store the files of the present shell, the page last. Returns its build. Throws if one can't be fetched. */
export async function storeShell(signal?: AbortSignal): Promise<string> {
  const { build, html, files } = await unwrap(api.GET("/api/v1/offline/shell/"));
  const cache = await caches.open(SHELL_CACHE + build);
  if (await cache.match(SHELL_PAGE)) return build;
  await runAtOnce(files, MAX_FETCHES, async ({ address, source }) => {
    if (await cache.match(address)) return; // stored before it was interrupted
    const response = await fetch(source, { credentials: "omit", ...(signal && { signal }) });
    if (!response.ok) throw new Error(`${source}: ${response.status}`);
    await cache.put(address, response);
  });
  const headers = { "Content-Type": "text/html; charset=utf-8", ...PAGE_HEADERS };
  await cache.put(SHELL_PAGE, new Response(html, { headers }));
  return build;
}

/** Whether the site has changed since the shell of this account was stored, or none is stored. */
export async function isShellOutdated({ user }: Account): Promise<boolean> {
  const record = await readAccountRecord(user);
  if (!record) return false;
  if (record.build === "" || record.siteBuild !== record.build) return true;
  // The browser may have deleted its caches.
  return !(await caches.match(SHELL_PAGE, { cacheName: SHELL_CACHE + record.build }));
}

/** Delete the shells that no account needs. Only while holding the lock of downloads. */
async function deleteOldShells(): Promise<void> {
  const accounts = await (await openDatabase()).getAll("accounts");
  const needed = new Set(accounts.map(({ build }) => SHELL_CACHE + build));
  const names = (await caches.keys()).filter((name) => name.startsWith(SHELL_CACHE));
  await Promise.all(names.filter((name) => !needed.has(name)).map((name) => caches.delete(name)));
}

/** later: it has to be tried again; full: there is no room for it, and the account stays with the shell that it has. */
export type ShellOutcome = "updated" | "later" | "full";

/**
 * Store the present shell and the pages of stored lessons for it, then move the account to it. Only while holding the lock
 * of downloads.
 */
export async function updateShell(account: Account, signal: AbortSignal): Promise<ShellOutcome> {
  try {
    const outcome = await moveToPresent(account, signal);
    if (outcome !== "full") return outcome;
  } catch (reason) {
    if (!isQuotaError(reason)) return "later";
  }
  await changeAccount(account.user, { shellFullAt: Date.now() }).catch(() => undefined);
  await deleteOldShells().catch(() => undefined); // and what has arrived of the new one
  return "full";
}

async function moveToPresent(account: Account, signal: AbortSignal): Promise<ShellOutcome> {
  const { user } = account;
  const build = await storeShell(signal);
  const outdated = (await readRecords(user)).filter(
    ({ ready, state }) => state === "downloaded" && ready !== null && ready.build !== build,
  );
  const prepared: string[] = [];
  for (const { uid } of outdated) {
    const { kind } = await prepareLesson(account, uid, { build, signal });
    if (kind === "full") return "full";
    if (kind === "complete") prepared.push(uid);
    else if (kind !== "failed") return "later";
  }
  const now = await readNow();
  const finished = await finishWanted(account, prepared, { now, build });
  // The queue asks for them again and says what is wrong with them.
  for (const { uid } of outdated.filter((record) => !finished.includes(record.uid)))
    await updateRecord(user, uid, (record) =>
      record.state === "downloaded" ? { ...record, state: "waiting" } : null,
    );
  await deleteOldShells();
  return "updated";
}

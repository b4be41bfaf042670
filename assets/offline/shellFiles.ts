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
import { prepareLesson } from "./downloadLesson";
import { requestPackage } from "./requestPackage";
import { runAtOnce } from "./runAtOnce";
import { readRecords, updateRecord } from "./lessons";
import { SHELL_CACHE, SHELL_PAGE } from "./names";
import { isQuotaError } from "./storage";
import type { Account } from "./types";

const MAX_FETCHES_AT_ONCE = 6;
const MAX_UNSERVED_AT_FIRST = 5;
/** How long a file of the shell may take, with its content. */
const MAX_FILE_MS = 2 * 60_000;
/** The page says itself which policy it has; these can't be said in a page. */
const PAGE_HEADERS = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin" };

/** Fetch a file of the shell. On a connection that carries nothing it fails at some time, as others wait for it. */
async function storeFile(
  cache: Cache,
  { address, source }: { address: string; source: string },
  signal?: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const limit = setTimeout(stop, MAX_FILE_MS);
  try {
    const response = await fetch(source, { credentials: "omit", signal: controller.signal });
    if (!response.ok) throw new Error(`${source}: ${response.status}`);
    await cache.put(address, response);
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener("abort", stop);
  }
}

/** Store the files of the present shell, the page last. Returns its build. Throws if one can't be fetched. */
export async function storeShell(signal?: AbortSignal): Promise<string> {
  const { build, html, files } = await unwrap(api.GET("/api/v1/offline/shell/"));
  const cache = await caches.open(SHELL_CACHE + build);
  if (await cache.match(SHELL_PAGE)) return build;
  await runAtOnce(files, MAX_FETCHES_AT_ONCE, async ({ address, source }) => {
    if (await cache.match(address)) return; // stored before it was interrupted
    await storeFile(cache, { address, source }, signal);
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

/** Whether the server sends a lesson that waits, as it fails on all that are stored. */
async function servesAnother(account: Account): Promise<boolean> {
  const records = await readRecords(account.user);
  const waiting = records.find(({ state }) => state === "waiting");
  if (!waiting) return false;
  const sent = requestPackage(account, waiting.uid, waiting.quality);
  return sent.then(
    () => true,
    () => false,
  );
}

async function moveToPresent(account: Account, signal: AbortSignal): Promise<ShellOutcome> {
  const { user } = account;
  const build = await storeShell(signal);
  const outdated = (await readRecords(user)).filter(
    ({ ready, state }) => state === "downloaded" && ready !== null && ready.build !== build,
  );
  const prepared: string[] = [];
  const unserved = new Set<string>();
  const uids = outdated.map(({ uid }) => uid);
  // Each lesson on which the server fails is tried once more, after the others. One of them does not keep the site from
  // being updated, but if all fail, or the first few, it is the server.
  for (let uid = uids.shift(); uid !== undefined; uid = uids.shift()) {
    const { kind } = await prepareLesson(account, uid, { build, signal });
    if (kind === "full") return "full";
    if (kind === "complete") prepared.push(uid);
    else if (kind === "unserved" && !unserved.has(uid)) uids.push(uid);
    else if (kind !== "failed" && kind !== "unserved") return "later";
    if (kind === "unserved") unserved.add(uid);
    if (prepared.length === 0 && unserved.size >= MAX_UNSERVED_AT_FIRST) return "later";
  }
  if (prepared.length === 0 && unserved.size > 0 && !(await servesAnother(account))) return "later";
  const now = await readNow();
  const finished = await finishWanted(account, prepared, { now, build });
  // The queue asks for them again and says what is wrong with them.
  for (const { uid } of outdated.filter((record) => !finished.includes(record.uid)))
    await updateRecord(account, uid, (record) =>
      record.state === "downloaded" ? { ...record, state: "waiting" } : null,
    );
  await deleteOldShells();
  return "updated";
}

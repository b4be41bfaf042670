/** Whether something is to be done with the server, so that pages fetch the code for it only then. */
import { type AccountRecord, openDatabase } from "./database";
import { isUpdateDue, readRecords } from "./lessons";
import { SHELL_CACHE, SHELL_PAGE } from "./names";
import { readUnsettled } from "./unsettled";

const CHECK_IN_INTERVAL_MS = 10 * 60_000;
/** How long pages leave a shell alone for which there was no room. */
const WAIT_AFTER_FULL_STORAGE_MS = 60 * 60_000;

/** Whether changes wait, or what pages have left is to become one. */
export async function needsSending(user: string): Promise<boolean> {
  if (await readUnsettled(user)) return true;
  const changes = await (await openDatabase()).getAllFromIndex("outbox", "account", user);
  return changes.some(({ refusal }) => refusal === null);
}

/** Whether the last check-in was a while ago. */
export async function needsCheckIn(user: string): Promise<boolean> {
  const record = await (await openDatabase()).get("accounts", user);
  const age = Date.now() - (record?.checkedInAt ?? 0);
  return record !== undefined && (age < 0 || age >= CHECK_IN_INTERVAL_MS);
}

/** Whether there is a newer shell, or the browser, or a site that was switched off, has deleted the one that was stored. */
async function isShellMissing({ build, siteBuild }: AccountRecord): Promise<boolean> {
  if (siteBuild !== build) return true;
  return build !== "" && !(await caches.match(SHELL_PAGE, { cacheName: SHELL_CACHE + build }));
}

/** Whether lessons or the shell are to be fetched. */
export async function needsDownloads(user: string): Promise<boolean> {
  const record = await (await openDatabase()).get("accounts", user);
  if (!record) return false;
  const sinceFull = Date.now() - (record.shellFullAt ?? 0);
  const isFull = sinceFull >= 0 && sinceFull < WAIT_AFTER_FULL_STORAGE_MS;
  if (!isFull && (await isShellMissing(record))) return true;
  const { build } = record;
  return (await readRecords(user)).some(
    (one) => ["waiting", "downloading", "held"].includes(one.state) || isUpdateDue(one, build),
  );
}

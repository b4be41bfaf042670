/** Whether something is to be done with the server, so that pages fetch the code for it only then. */
import { openDatabase } from "./database";
import { readRecords } from "./lessons";
import { readUnsettled } from "./unsettled";

const CHECK_IN_MS = 10 * 60_000;
/** How long pages leave a shell alone for which there was no room. */
const FULL_MS = 60 * 60_000;

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
  return record !== undefined && (age < 0 || age >= CHECK_IN_MS);
}

/** Whether lessons or the shell are to be fetched. */
export async function needsDownloads(user: string): Promise<boolean> {
  const record = await (await openDatabase()).get("accounts", user);
  if (!record) return false;
  const sinceFull = Date.now() - (record.shellFullAt ?? 0);
  const isFull = sinceFull >= 0 && sinceFull < FULL_MS;
  if (record.siteBuild !== record.build && !isFull) return true;
  return (await readRecords(user)).some(
    ({ state, isOutdated }) =>
      ["waiting", "downloading", "held"].includes(state) || (state === "downloaded" && isOutdated),
  );
}

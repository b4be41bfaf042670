/** The check-in of a device: renews what it may keep, and deletes what it may not. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import type { components } from "../shared/api/schema.gen";
import { changeAccount } from "./account";
import { noteServerTime } from "./clock";
import { followRefusal } from "./contact";
import type { LessonRecord } from "./database";
import { endLesson, readRecords, sealSummary, unsealSummary, updateRecord } from "./lessons";
import type { Account } from "./types";
import { writeValue } from "./values";

type Checked = components["schemas"]["CheckedLesson"];

/** As the server takes them at once. */
const MAX_LESSONS_AT_ONCE = 1000;

/** How long an update of a lesson that could not be stored is left alone. */
const WAIT_AFTER_FAILED_UPDATE_MS = 24 * 3_600_000;

function hasFailed({ failedUpdate }: LessonRecord, stamp: string): boolean {
  if (failedUpdate?.stamp !== stamp) return false;
  const age = Date.now() - failedUpdate.at;
  return age >= 0 && age < WAIT_AFTER_FAILED_UPDATE_MS;
}

async function follow(account: Account, checked: Checked): Promise<boolean> {
  const { uid, expires_at: expiresAt, stamp, state, refusal } = checked;
  if (expiresAt === null) {
    const unknown = { code: "NOT_FOUND", title: "", message: "" };
    await endLesson(account, uid, refusal ?? unknown);
    return false;
  }
  await updateRecord(account, uid, (record) => {
    const { ready } = record;
    const isOther = ready !== null && stamp !== "" && ready.stamp !== stamp;
    const isOutdated = isOther
      ? !hasFailed(record, stamp)
      : ready !== null && ready.state !== state;
    return { ...record, expiresAt: Date.parse(expiresAt), isOutdated };
  });
  return true;
}

/** Show in lists what was completed with another browser, or is complete no more. */
async function noteCompleted(account: Account, completed: ReadonlySet<string>): Promise<void> {
  // Also of lessons that aren't stored: they open others.
  await writeValue(account, "completed", [...completed]);
  for (const record of await readRecords(account.user)) {
    const summary = await unsealSummary(account, record).catch(() => null);
    const isCompleted = completed.has(record.uid);
    if (!summary || summary.isCompleted === isCompleted) continue;
    const sealed = await sealSummary(account, record.uid, { ...summary, isCompleted });
    await updateRecord(account, record.uid, (now) => ({ ...now, summary: sealed }));
  }
}

/**
 * Renew what this browser stores. Returns how many lessons were renewed, and which have ended; null if the server was
 * not reached, or the account is gone.
 */
export async function checkIn(
  account: Account,
): Promise<{ renewed: number; ended: string[] } | null> {
  const records = await readRecords(account.user);
  const uids = records.filter(({ state }) => state !== "ended").map(({ uid }) => uid);
  const report = { renewed: 0, ended: [] as string[] };
  const completed = new Set<string>();
  try {
    for (let from = 0; from === 0 || from < uids.length; from += MAX_LESSONS_AT_ONCE) {
      const lessons = uids.slice(from, from + MAX_LESSONS_AT_ONCE);
      const answer = await unwrap(
        authenticatedApi.POST("/api/v1/offline/devices/{uid}/check-in/", {
          params: { path: { uid: account.device } },
          body: { lessons, is_partial: uids.length > MAX_LESSONS_AT_ONCE },
        }),
      );
      await noteServerTime(answer.now);
      for (const uid of answer.completed) completed.add(uid);
      for (const checked of answer.lessons)
        if (await follow(account, checked)) report.renewed += 1;
        else report.ended.push(checked.uid);
      await changeAccount(account.user, { checkedInAt: Date.now(), siteBuild: answer.build });
    }
    await noteCompleted(account, completed).catch(() => undefined); // full: the next check-in tells it again
    return report;
  } catch (reason) {
    await followRefusal(account, reason);
    return null;
  }
}

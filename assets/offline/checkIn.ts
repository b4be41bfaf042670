/** The check-in of a device: renews what it may keep, and deletes what it may not. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import type { components } from "../shared/api/schema.gen";
import { changeAccount } from "./account";
import { noteServerTime } from "./clock";
import { followRefusal } from "./contact";
import { endLesson, readRecords, updateRecord } from "./lessons";
import type { Account } from "./types";

type Checked = components["schemas"]["CheckedLesson"];

/** As the server takes them at once. */
const MAX_LESSONS_AT_ONCE = 1000;

async function follow(account: Account, checked: Checked): Promise<boolean> {
  const { uid, expires_at: expiresAt, stamp, refusal } = checked;
  if (expiresAt === null) {
    const unknown = { code: "NOT_FOUND", title: "", message: "" };
    await endLesson(account, uid, refusal ?? unknown);
    return false;
  }
  await updateRecord(account.user, uid, (record) => {
    const isOutdated = record.ready !== null && stamp !== "" && record.ready.stamp !== stamp;
    return { ...record, expiresAt: Date.parse(expiresAt), isOutdated };
  });
  return true;
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
  try {
    for (let from = 0; from === 0 || from < uids.length; from += MAX_LESSONS_AT_ONCE) {
      const lessons = uids.slice(from, from + MAX_LESSONS_AT_ONCE);
      const answer = await unwrap(
        authenticatedApi.POST("/api/v1/offline/devices/{uid}/check-in/", {
          params: { path: { uid: account.device } },
          body: { lessons },
        }),
      );
      await noteServerTime(answer.now);
      for (const checked of answer.lessons)
        if (await follow(account, checked)) report.renewed += 1;
        else report.ended.push(checked.uid);
      await changeAccount(account.user, { checkedInAt: Date.now(), siteBuild: answer.build });
    }
    return report;
  } catch (reason) {
    await followRefusal(account, reason);
    return null;
  }
}

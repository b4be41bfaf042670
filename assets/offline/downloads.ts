/** The queue of lessons to store: one after the other, by one tab at a time. */
import { announceEvent } from "./channel";
import { dropWanted } from "./copies";
import {
  changeRecord,
  deleteLessons,
  emptied,
  moveState,
  readRecord,
  readRecords,
  sealSummary,
  updateRecord,
} from "./lessons";
import { chooseSize } from "./qualities";
import { runDownloads } from "./runDownloads";
import type { Account, Quality, StorableCourse, StorableLesson } from "./types";

export { runDownloads, stopDownloads } from "./runDownloads";

/** Put lessons of a course at the end of the queue. What is stored at this quality already is left as it is. */
export async function queueLessons(
  account: Account,
  course: StorableCourse["course"],
  lessons: readonly StorableLesson[],
  quality: Quality,
): Promise<void> {
  let order = Math.max(0, ...(await readRecords(account.user)).map((record) => record.order));
  for (const lesson of lessons) {
    const chosen = chooseSize(lesson, quality);
    if (!chosen || lesson.refusal) continue;
    const { uid, is_completed: isCompleted, section, number, title, kind, duration, url } = lesson;
    const shown = { course, section, number, title, kind, duration, url, isCompleted };
    const summary = await sealSummary(account, uid, shown);
    order += 1;
    const place = { order, quality: chosen.quality, size: chosen.size, summary };
    await changeRecord(account, uid, (record) => {
      const isKept =
        record?.quality === chosen.quality && !["ended", "failed"].includes(record.state);
      if (isKept) return null;
      const numbers = { nextVersion: 1, nextResource: 0 };
      const base = { account: account.user, uid, ...numbers, ...emptied, ...record };
      return { ...base, ...place, state: "waiting", refusal: null };
    });
  }
  void runDownloads();
}

export async function pauseLesson(account: Account, uid: string): Promise<void> {
  await moveState(account, uid, ["waiting", "downloading", "held"], "paused");
  announceEvent({ kind: "stop", uid });
}

export async function resumeLesson(account: Account, uid: string): Promise<void> {
  await moveState(account, uid, ["paused", "held"], "waiting");
  void runDownloads();
}

export async function retryLesson(account: Account, uid: string): Promise<void> {
  await moveState(account, uid, ["failed", "ended"], "waiting");
  void runDownloads();
}

/** Stop storing a lesson and delete what has arrived. A lesson that could be opened before stays as it was. */
export async function cancelLesson(account: Account, uid: string): Promise<void> {
  const ready = (await readRecord(account.user, uid))?.ready;
  const { quality = "", size = 0 } = ready ?? {};
  const before = { quality, size, received: size, state: "downloaded", refusal: null } as const;
  const isKept = await dropWanted(account, uid, before);
  announceEvent({ kind: "stop", uid });
  if (!isKept) await deleteLessons(account.user, [uid]);
}

/** Ask again for lessons that have expired or changed, before all others. */
export async function renewLessons(account: Account, uids: readonly string[]): Promise<void> {
  let order = Math.min(0, ...(await readRecords(account.user)).map((record) => record.order));
  for (const uid of [...uids].reverse()) {
    order -= 1;
    await updateRecord(account, uid, (record) => ({
      ...record,
      order,
      state: "waiting",
      refusal: null,
    }));
  }
  void runDownloads();
}

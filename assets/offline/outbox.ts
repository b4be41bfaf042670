/** What was done without a connection, until the server has it. Each change has an id, which the server takes once. */
import { mayStore } from "./account";
import { announceEvent } from "./channel";
import { openDatabase, type Sealed } from "./database";
import { mergeWatched } from "./mergeWatched";
import {
  listRecords,
  openChange,
  type Content,
  type Opened,
  openReason,
  placeOf,
  type Stored,
} from "./outboxRecords";
import { sealValue } from "./sealing";
import type { Account, Change, Question, WaitingChange } from "./types";

export { OUTBOX_LOCK, nextSendingIn, sendChanges } from "./sendChanges";

/** What the server has said of a change that it does not know. */
const unanswered = { refusal: null, delay: null };

/** An unsent change that the new one continues. */
async function findContinued(account: Account, change: Change): Promise<Opened | null> {
  if (change.kind !== "watched") return null;
  for (const record of (await listRecords(account)).reverse()) {
    if (record.isHanded || record.refusal) continue;
    const opened = await openChange(account, record).catch(() => null);
    if (opened?.change.kind === "watched" && opened.change.lesson === change.lesson) return opened;
  }
  return null;
}

/**
 * Keep a change. What was watched of a lesson is added to the change that waits for it, unless that was handed to a
 * request: the server may have it. Throws where nothing can be stored.
 * @param asked the questions of an attempt
 */
export async function addChange(
  account: Account,
  change: Change,
  title: string,
  asked?: readonly Question[],
): Promise<void> {
  for (;;) {
    const before = await findContinued(account, change);
    const merged = before && mergeWatched(before.change, change);
    const content: Content = { change: merged ?? change, title, ...(asked && { asked }) };
    const { id } = content.change;
    const sealed = await sealValue(account.key, placeOf(account, id, "change"), content);
    const transaction = (await openDatabase()).transaction(["accounts", "outbox"], "readwrite");
    const outbox = transaction.objectStore("outbox");
    const owner = await transaction.objectStore("accounts").get(account.user);
    let isStored = true;
    if (!mayStore(owner, account)) {
      // Removed or locked by another tab: what is sealed with this key can't be sent.
    } else if (before && merged) {
      const present = await outbox.get(before.record.seq);
      // It was sent, or changed by another tab, while this one was sealed.
      isStored =
        present !== undefined && !present.isHanded && isSame(present.sealed, before.record.sealed);
      if (present && isStored) await outbox.put({ ...present, sealed });
    } else {
      const { user } = account;
      await outbox.add({ account: user, id, isHanded: false, notBefore: 0, sealed, ...unanswered });
    }
    await transaction.done;
    if (!isStored) continue;
    announceEvent({ kind: "outbox" });
    return;
  }
}

const isSame = ({ iv }: Sealed, other: Sealed): boolean =>
  iv.every((byte, index) => byte === other.iv[index]);

/**
 * All changes that the server does not have, in the order in which they were made, and those that it refused. What can't
 * be read is left out.
 */
export async function listChanges(account: Account): Promise<WaitingChange[]> {
  const show = async (record: Stored): Promise<WaitingChange> => {
    const { change, title, asked } = await openChange(account, record);
    const refusal = await openReason(account, record.id, record.refusal);
    const delay = await openReason(account, record.id, record.delay);
    return { change, title, refusal, delay, ...(asked && { asked }) };
  };
  const shown = (await listRecords(account)).map((one) => show(one).catch(() => null));
  return (await Promise.all(shown)).filter((one) => one !== null);
}

/** Delete a change, such as a refused one that its learner has read of. */
export async function removeChange(account: Account, id: string): Promise<void> {
  for (const { seq } of (await listRecords(account)).filter((record) => record.id === id))
    await (await openDatabase()).delete("outbox", seq);
  announceEvent({ kind: "outbox" });
}

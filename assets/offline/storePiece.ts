/** Writes a piece of a resource, unless the lesson was paused or removed meanwhile. */
import { mayStore } from "./account";
import { announceEvent } from "./channel";
import { isLoading } from "./copies";
import { openDatabase } from "./database";
import { type StorePiece, Stopped } from "./fetchResource";
import { placeOfPiece } from "./pieces";
import { seal } from "./sealing";
import type { Account } from "./types";

/** Storing pieces of a resource of the copy that is wanted. */
export function piecesOf(
  account: Account,
  lesson: string,
  { version, resource }: { version: number; resource: { id: number; size: number | null } },
): StorePiece {
  const { user, key } = account;
  return async (index, bytes, size) => {
    const sealed = await seal(key, placeOfPiece(user, lesson, resource.id, index), bytes);
    const database = await openDatabase();
    const transaction = database.transaction(["accounts", "lessons", "pieces"], "readwrite");
    const write = async (): Promise<void> => {
      const lessons = transaction.objectStore("lessons");
      const pieces = transaction.objectStore("pieces");
      const record = await lessons.get([user, lesson]);
      const owner = await transaction.objectStore("accounts").get(user);
      if (!record || !isLoading(record, version) || !mayStore(owner, account)) throw new Stopped();
      const isNew = (await pieces.getKey([user, lesson, resource.id, index])) === undefined;
      await pieces.put({ account: user, lesson, resource: resource.id, index, ...sealed });
      const changed = { ...record };
      if (isNew && record.state === "downloading") changed.received += bytes.length;
      if (size !== null && resource.size === null)
        changed.sizes = { ...record.sizes, [resource.id]: size };
      await lessons.put(changed);
      if (record.state !== "downloading") return;
      const { received, size: all } = changed;
      announceEvent({
        kind: "progress",
        uid: lesson,
        received: Math.min(received, all),
        size: all,
      });
    };
    const [written, done] = await Promise.allSettled([write(), transaction.done]);
    // The reason why the transaction ended, such as a full storage, is that of `done`.
    if (done.status === "rejected")
      throw written.status === "rejected" && written.reason instanceof Stopped
        ? written.reason
        : done.reason;
    if (written.status === "rejected") throw written.reason;
  };
}

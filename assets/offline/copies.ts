/** The copies of a lesson: the one that can be opened, and the one that is being stored and replaces it when complete. */
import { mayStore } from "./account";
import { announceEvent } from "./channel";
import { type Copy, keysOf, type LessonRecord, openDatabase } from "./database";
import { sealSummary } from "./lessons";
import { numberResources, readResources, type Resource, sealPackage } from "./packages";
import { countReceived, isStored, readStored, sizeOf } from "./pieces";
import type { Account, LessonPackage } from "./types";

/** Whether resources of a lesson may be written now: it may have been paused or removed by another tab. */
export function isLoading(record: LessonRecord | undefined, version: number): boolean {
  return (
    record?.wanted?.version === version &&
    (record.state === "downloading" || record.state === "downloaded")
  );
}

/**
 * Store a package as the copy that is wanted. Resources that are stored already stay. Returns null if the lesson was
 * paused or removed meanwhile.
 */
export async function storeWanted(
  account: Account,
  record: LessonRecord,
  sent: LessonPackage,
): Promise<LessonRecord | null> {
  const { user } = account;
  const { uid, nextVersion: version } = record;
  const before = [record.wanted, record.ready].filter((copy) => copy !== null);
  const stored = await Promise.all(
    before.map(async (copy) => ({
      stamp: copy.stamp,
      // What can't be read is stored again.
      resources: await readResources(account, uid, copy).catch(() => []),
    })),
  );
  const { resources, next } = numberResources(sent, stored, record.nextResource);
  const packed = await sealPackage(account, sent, { version, resources });
  const summary = await sealSummary(account, uid, {
    course: sent.course,
    section: sent.section.number,
    number: sent.number,
    title: sent.title,
    kind: sent.kind,
    duration: sent.duration,
    url: sent.url,
    isCompleted: sent.is_completed,
  });
  const wanted: Copy = {
    version,
    stamp: sent.stamp,
    state: sent.state,
    build: sent.build,
    quality: sent.quality,
    size: sent.size,
    askedAt: Date.now(),
  };

  const database = await openDatabase();
  const transaction = database.transaction(["accounts", "lessons", "packages"], "readwrite");
  const lessons = transaction.objectStore("lessons");
  const present = await lessons.get([user, uid]);
  const owner = await transaction.objectStore("accounts").get(user);
  let changed: LessonRecord | null = null;
  const isLeft = present?.nextVersion !== version || !/^download(ing|ed)$/.test(present.state);
  if (!isLeft && mayStore(owner, account)) {
    const packages = transaction.objectStore("packages");
    if (present.wanted) await packages.delete([user, uid, present.wanted.version]);
    await packages.put(packed);
    const size = present.state === "downloading" ? sent.size : present.size;
    const expiresAt = Date.parse(sent.expires_at);
    const numbers = { nextVersion: version + 1, nextResource: next };
    changed = { ...present, ...numbers, wanted, summary, size, expiresAt };
    await lessons.put(changed);
  }
  await transaction.done;
  return changed && (await recount(account, uid));
}

/** Count again what is stored of the wanted copy: the pieces are the truth. */
export async function recount(account: Account, uid: string): Promise<LessonRecord | null> {
  const database = await openDatabase();
  const record = await database.get("lessons", [account.user, uid]);
  if (!record?.wanted || record.state === "downloaded") return record ?? null;
  const resources = await readResources(account, uid, record.wanted);
  const received = countReceived(resources, await readStored(database, account.user, uid), record);
  if (received === record.received) return record;
  const transaction = database.transaction("lessons", "readwrite");
  const present = await transaction.store.get([account.user, uid]);
  if (present) await transaction.store.put({ ...present, received });
  await transaction.done;
  return present ? { ...present, received } : null;
}

/** The resources of a copy that are not all stored, with how many of their pieces are. */
export async function listMissing(
  account: Account,
  record: LessonRecord,
  copy: Copy,
): Promise<{ resource: Resource; pieces: number }[]> {
  const resources = await readResources(account, record.uid, copy);
  const stored = await readStored(await openDatabase(), account.user, record.uid);
  return resources
    .filter((resource) => !isStored(resource, stored, record))
    .map((resource) => ({ resource, pieces: stored.get(resource.id) ?? 0 }));
}

/** What finishing a lesson deletes and keeps; null if something of it is missing. */
async function planFinish(account: Account, uid: string) {
  const database = await openDatabase();
  const record = await database.get("lessons", [account.user, uid]);
  if (!record?.wanted) return null;
  const { version } = record.wanted;
  const resources = await readResources(account, uid, record.wanted);
  const stored = await readStored(database, account.user, uid);
  if (resources.some((resource) => !isStored(resource, stored, record))) return null;
  const kept = new Set(resources.map(({ id }) => id));
  const orphans = [...stored.keys()].filter((id) => !kept.has(id));
  const bytes = resources.reduce((sum, one) => sum + (sizeOf(one, record) ?? 0), 0);
  return { uid, version, kept, orphans, bytes };
}

/**
 * Make the wanted copies those that can be opened, in one transaction, and delete what only the old ones had. Returns the
 * lessons that are complete; not those that were paused or removed meanwhile, or of which something is missing.
 * @param build the account moves to this build of the site with them
 */
export async function finishWanted(
  account: Account,
  uids: readonly string[],
  { now, build }: { now: number; build?: string },
): Promise<string[]> {
  const { user } = account;
  const plans = [];
  for (const uid of uids) plans.push(await planFinish(account, uid));
  const database = await openDatabase();
  const stores = ["accounts", "lessons", "packages", "pieces"] as const;
  const transaction = database.transaction(stores, "readwrite");
  const lessons = transaction.objectStore("lessons");
  const finished: string[] = [];
  for (const plan of plans) {
    if (!plan) continue;
    const { uid, version, kept, orphans, bytes } = plan;
    const record = await lessons.get([user, uid]);
    if (!record?.wanted || !isLoading(record, version)) continue;
    const { wanted: ready } = record;
    const packages = transaction.objectStore("packages");
    for (const key of await packages.getAllKeys(keysOf(user, uid)))
      if (key[2] !== version) await packages.delete(key);
    for (const id of orphans) await transaction.objectStore("pieces").delete(keysOf(user, uid, id));
    const sizes = Object.entries(record.sizes).filter(([id]) => kept.has(Number(id)));
    await lessons.put({
      ...record,
      ...{ ready, wanted: null, isOutdated: false, refusal: null, state: "downloaded" },
      ...{ quality: ready.quality, size: bytes, received: bytes, sizes: Object.fromEntries(sizes) },
      storedAt: record.storedAt || now,
    });
    finished.push(uid);
  }
  const accounts = transaction.objectStore("accounts");
  const present = build === undefined ? undefined : await accounts.get(user);
  if (present && build !== undefined) await accounts.put({ ...present, build, siteBuild: build });
  await transaction.done;
  announceEvent({ kind: "lessons" });
  return finished;
}

/**
 * Give up the copy that was to replace the one that can be opened, and delete what only it had. Returns false if there is
 * none that can be opened.
 */
export async function dropWanted(
  account: Account,
  uid: string,
  changed: Partial<LessonRecord>,
): Promise<boolean> {
  const { user } = account;
  const database = await openDatabase();
  const ready = (await database.get("lessons", [user, uid]))?.ready;
  if (!ready) return false;
  const kept = new Set((await readResources(account, uid, ready)).map(({ id }) => id));
  const stored = await readStored(database, user, uid);
  const stores = ["lessons", "packages", "pieces"] as const;
  const transaction = database.transaction(stores, "readwrite");
  const lessons = transaction.objectStore("lessons");
  const record = await lessons.get([user, uid]);
  const isSame = record?.ready?.version === ready.version;
  if (isSame) {
    await lessons.put({ ...record, ...changed, wanted: null });
    const packages = transaction.objectStore("packages");
    for (const key of await packages.getAllKeys(keysOf(user, uid)))
      if (key[2] !== ready.version) await packages.delete(key);
    for (const id of stored.keys())
      if (!kept.has(id)) await transaction.objectStore("pieces").delete(keysOf(user, uid, id));
  }
  await transaction.done;
  if (isSame) announceEvent({ kind: "lessons" });
  return isSame;
}

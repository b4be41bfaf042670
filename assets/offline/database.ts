/** What a browser stores of offline lessons: the database "study-offline". All that is personal is sealed (sealing.ts). */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

import type { OfflineState } from "./types";

/** Encrypted bytes with the nonce of this encryption. */
export type Sealed = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer };

export type AccountRecord = {
  user: string;
  name: Sealed | null;
  device: string;
  /** Null: signed out. Nothing of the account can be read until its learner signs in again. */
  key: CryptoKey | null;
  checkedInAt: number;
  /** Of the shell that shows its lessons; empty until one is stored. */
  build: string;
  /** Of the site at the last contact: another one means that the shell is to be stored again. */
  siteBuild: string;
  /** When there was no room for the present shell. */
  shellFullAt?: number;
};

/** A version of a lesson's package: the record of it is in "packages". */
export type Copy = {
  version: number;
  stamp: string;
  /** Of what its learner had done in it. */
  state: string;
  build: string;
  quality: string;
  /** Bytes. */
  size: number;
  /** When the server was asked for it: signed addresses expire. */
  askedAt: number;
};

export type LessonRecord = {
  account: string;
  uid: string;
  /** Never "expired": that depends on the clock. */
  state: Exclude<OfflineState, "expired">;
  /** Its place in the queue, and in lists. */
  order: number;
  /** What its learner chose. */
  quality: string;
  size: number;
  received: number;
  /** As the server said last. */
  expiresAt: number;
  storedAt: number;
  /** The copy that can be opened, all of whose resources are stored. */
  ready: Copy | null;
  /** The copy that is being stored; where `ready` is there as well, it replaces it once it is complete. */
  wanted: Copy | null;
  /** The copy that can be opened is of another content or build than the server's. */
  isOutdated: boolean;
  /** The content that could not be stored in place of that of `ready`, and when. */
  failedUpdate?: { stamp: string; at: number };
  nextVersion: number;
  nextResource: number;
  /** Resource → bytes, where its size became known only when it was fetched. */
  sizes: Record<number, number>;
  summary: Sealed;
  refusal: Sealed | null;
};

export type PackageRecord = {
  account: string;
  lesson: string;
  version: number;
  page: Sealed;
  resources: Sealed;
};

/** A piece of a resource: PIECE_BYTES, the last one less. */
export type PieceRecord = {
  account: string;
  lesson: string;
  resource: number;
  index: number;
} & Sealed;

export type ChangeRecord = {
  /** Given by the database: the order in which changes were made. */
  seq?: number;
  account: string;
  id: string;
  /** It was handed to a request: the server may have it, so that its content must stay. */
  isHanded: boolean;
  /** Milliseconds since 1970 before which it is not sent. */
  notBefore: number;
  sealed: Sealed;
  refusal: Sealed | null;
  /** Why the server wants it later. */
  delay: Sealed | null;
};

export type OfflineDatabase = DBSchema & {
  accounts: { key: string; value: AccountRecord };
  lessons: { key: [string, string]; value: LessonRecord };
  packages: { key: [string, string, number]; value: PackageRecord };
  pieces: { key: [string, string, number, number]; value: PieceRecord };
  outbox: { key: number; value: ChangeRecord; indexes: { account: string } };
  progress: { key: [string, string]; value: { account: string; lesson: string; sealed: Sealed } };
  values: { key: string; value: unknown };
};
export type Database = IDBPDatabase<OfflineDatabase>;

export const DATABASE_NAME = "study-offline";
const DATABASE_VERSION = 1;

let opened: Promise<Database> | null = null;

function create(database: Database): void {
  database.createObjectStore("accounts", { keyPath: "user" });
  database.createObjectStore("lessons", { keyPath: ["account", "uid"] });
  database.createObjectStore("packages", { keyPath: ["account", "lesson", "version"] });
  database.createObjectStore("pieces", { keyPath: ["account", "lesson", "resource", "index"] });
  const outbox = database.createObjectStore("outbox", { keyPath: "seq", autoIncrement: true });
  outbox.createIndex("account", "account");
  database.createObjectStore("progress", { keyPath: ["account", "lesson"] });
  database.createObjectStore("values");
}

// Some browsers throw at once where storage is blocked, others reject.
const open = async (): Promise<Database> =>
  openDB<OfflineDatabase>(DATABASE_NAME, DATABASE_VERSION, {
    upgrade: create,
    // A newer version of the site, or somebody who deletes the site's data, must not wait for this tab.
    blocking: () => void closeDatabase(),
    terminated: () => (opened = null),
  });

/** The database, opened once. Rejects where the browser has none, such as in some private windows. */
export function openDatabase(): Promise<Database> {
  opened ??= open().catch((reason: unknown) => {
    opened = null;
    throw reason;
  });
  return opened;
}

export async function closeDatabase(): Promise<void> {
  const database = await opened?.catch(() => null);
  opened = null;
  database?.close();
}

/** All keys that begin with these parts. */
export function keysOf(...parts: (string | number)[]): IDBKeyRange {
  return IDBKeyRange.bound(parts, [...parts, []]);
}

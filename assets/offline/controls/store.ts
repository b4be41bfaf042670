/** What buttons, dialogs and the page /offline do with what this browser stores. Tests pass a fake. */
import type {
  Account,
  OfflineLesson,
  Preferences,
  Quality,
  Refusal,
  StorableCourse,
  StorableLesson,
  StorageUse,
  SyncReport,
  WaitingChange,
} from "../types";

/** Lessons of accounts that are signed out: nobody can open them here. */
export type SignedOutLessons = { lessons: number; size: number };

/** What was done without a connection and is in no change: open attempts at quizzes, and what pages have left. */
export type LeftHere = { attempts: number; changes: number };

export type Store = {
  /** Why this browser can't store lessons; null if it can. Some private windows have no database. */
  whyNotPossible: () => Promise<Refusal | null>;
  /** The account that this browser shows; null: nobody is signed in, or nothing was stored yet. */
  readAccount: () => Promise<Account | null>;
  /** The uid of who is signed in, as the server says; null for nobody. */
  findUser: () => Promise<string | null>;
  /** Open what this browser stores of the signed-in user; null if that is nothing. */
  openAccount: (user: string) => Promise<Account | null>;
  startAccount: (user: string) => Promise<Account>;
  /** Forget the key of the account: what it stores stays, and nobody can open it. */
  lockAccount: () => Promise<void>;
  /** Delete all that this browser stores of the account, and its device on the server. */
  removeDevice: (user: string) => Promise<void>;
  countSignedOut: () => Promise<SignedOutLessons>;
  /** Delete what accounts without a key store here. */
  removeSignedOut: () => Promise<void>;

  listLessons: (account: Account) => Promise<OfflineLesson[]>;
  removeLessons: (account: Account, uids: readonly string[]) => Promise<void>;
  /** Call `listener` when lessons or changes differ, in any tab. Returns a function that stops it. */
  subscribe: (listener: () => void) => () => void;

  queueLessons: (
    account: Account,
    course: StorableCourse["course"],
    lessons: readonly StorableLesson[],
    quality: Quality,
  ) => Promise<void>;
  pauseLesson: (account: Account, uid: string) => Promise<void>;
  resumeLesson: (account: Account, uid: string) => Promise<void>;
  retryLesson: (account: Account, uid: string) => Promise<void>;
  cancelLesson: (account: Account, uid: string) => Promise<void>;
  renewLessons: (account: Account, uids: readonly string[]) => Promise<void>;

  readStorageUse: (account: Account | null) => Promise<StorageUse>;
  askForPersistence: () => Promise<boolean>;
  readPreferences: () => Promise<Preferences>;
  writePreferences: (preferences: Preferences) => Promise<void>;

  listChanges: (account: Account) => Promise<WaitingChange[]>;
  removeChange: (account: Account, id: string) => Promise<void>;
  sendChanges: (account: Account) => Promise<SyncReport>;
  /** Make changes of what pages without a connection have left. */
  settleChanges: (account: Account) => Promise<void>;
  countLeft: (account: Account) => Promise<LeftHere>;
};

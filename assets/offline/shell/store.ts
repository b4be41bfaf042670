/** What the shell needs of what this browser stores: the modules of assets/offline, or a store of tests. */
import type { components } from "../../shared/api/schema.gen";
import type {
  Account,
  Change,
  LessonPackage,
  OfflineLesson,
  Question,
  SyncReport,
  WaitingChange,
} from "../types";
import type { LocalLesson } from "./localLesson";

export type OfflinePractice = components["schemas"]["OfflinePracticeOut"];
/** A page as the server last rendered it. */
export type StoredPage = {
  title: string;
  mainClass: string;
  html: string;
  sheets: string[];
  /** When it was rendered, in milliseconds since 1970. */
  at: number;
};

export type Store = {
  account: Account;
  /** Milliseconds since 1970, by the server's clock as far as it is known. */
  now: () => number;
  /** Whether the account is still the one that this browser shows. */
  isCurrent: () => Promise<boolean>;
  /** Hear that another tab has locked or removed the account. Returns a function that stops it. */
  onClosed: (listener: () => void) => () => void;
  listLessons: () => Promise<OfflineLesson[]>;
  findByPath: (pathname: string) => Promise<OfflineLesson | null>;
  /** Null if it is not stored, or can't be opened. */
  readPackage: (lesson: string) => Promise<LessonPackage | null>;
  readLocal: (lesson: string) => Promise<LocalLesson>;
  /** Change the state of a lesson on this device, one change after the other over all tabs. */
  changeLocal: (
    lesson: string,
    change: (known: LocalLesson) => LocalLesson,
  ) => Promise<LocalLesson>;
  /** All lessons with a state on this device. */
  listLocal: () => Promise<string[]>;
  /** `asked`: the questions of an attempt. */
  addChange: (change: Change, title: string, asked?: readonly Question[]) => Promise<void>;
  listChanges: () => Promise<WaitingChange[]>;
  sendChanges: () => Promise<SyncReport>;
  /** Hear what came of sending, in this tab and in others. Returns a function that stops it. */
  onSynced: (listener: (report: SyncReport) => void) => () => void;
  /** Hear of changes that are added, in this tab and in others. Returns a function that stops it. */
  onAdded: (listener: () => void) => () => void;
  /** Lessons that the server has said are complete, also such that are not on this device. */
  readCompleted: () => Promise<ReadonlySet<string>>;
  readDashboard: () => Promise<StoredPage | null>;
  readPractice: () => Promise<OfflinePractice | null>;
  /** Ask for a lesson again once there is a connection. */
  renew: (lesson: OfflineLesson) => Promise<void>;
  /** Forget the keys of all accounts but this user's, who is the one that is signed in. */
  lockFor: (user: string) => Promise<void>;
};

/** What the shell needs to start. */
export type Dependencies = {
  openStore: () => Promise<Store | null>;
  lastContact: () => Promise<number>;
  /** Whether any account stores something in this browser. */
  hasStored: () => boolean;
  showReport: (report: SyncReport) => void;
};

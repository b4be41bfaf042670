/** What a browser stores of offline lessons, as the modules of this folder hand it to pages and islands. */
import type { components } from "../shared/api/schema.gen";

type Schemas = components["schemas"];

/** All that is stored of a lesson but its resources. */
export type LessonPackage = Schemas["OfflineLessonOut"];
export type StorableCourse = Schemas["StorableCourseOut"];
export type StorableLesson = Schemas["StorableLesson"];
export type Quality = "1080p" | "720p" | "480p" | "audio";

/**
 * waiting: behind others; paused: by the learner; held: until there is a connection, or Wi-Fi; failed: `refusal` says why;
 * ended: its learner may no longer have it, `refusal` says why, and nothing is stored of it.
 */
export type OfflineState =
  "waiting" | "downloading" | "paused" | "held" | "failed" | "downloaded" | "expired" | "ended";

export type Refusal = Schemas["RefusalOut"];

/** A lesson that is stored, or on its way. */
export type OfflineLesson = {
  uid: string;
  course: Schemas["OfflineCourse"];
  section: number;
  number: string;
  title: string;
  kind: Schemas["StorableLesson"]["kind"];
  /** Seconds. */
  duration: number;
  url: string;
  quality: string;
  state: OfflineState;
  /** Bytes: of all, and of what is stored. */
  size: number;
  received: number;
  /** Milliseconds since 1970; 0 until it is downloaded. */
  expiresAt: number;
  /** Milliseconds since 1970 when it was downloaded; 0 until then. */
  storedAt: number;
  refusal: Refusal | null;
  isCompleted: boolean;
  /** Second at which its video was left. */
  position: number;
};

/** The account whose lessons this browser shows. Its key never leaves WebCrypto. */
export type Account = { user: string; name: string; device: string; key: CryptoKey };

/** Something done without a connection, before it is sent: the fields of OfflineChangeIn. */
export type Change = Schemas["OfflineChangeInRequest"];
/** What a quiz asks; it reveals no answer. */
export type Question = Schemas["QuestionOut"];
/**
 * A change as it waits, with what people read of it. `asked`: of an attempt, so that its answers can be read if it is
 * refused. `delay`: why the server wants it later.
 */
export type WaitingChange = {
  change: Change;
  title: string;
  asked?: readonly Question[];
  refusal: Refusal | null;
  delay?: Refusal | null;
};

/** An attempt at a quiz that the server has marked. `isPassed`: null where nothing has to be passed. */
export type QuizResult = { title: string; percent: number; isPassed: boolean | null };

/** What came of sending changes. */
export type SyncReport = {
  taken: number;
  refused: WaitingChange[];
  /** Of the attempts among those that were taken. One with answers that people mark has none yet. */
  results: QuizResult[];
  waiting: number;
  /** There was no response. */
  isLost?: boolean;
};

export type Preferences = {
  quality: Quality;
  isWifiOnly: boolean;
  removesFinished: boolean;
  /** Bytes that lessons may take. */
  limit: number;
};

/** Bytes: what lessons of this account and of other accounts take, and what the browser grants in all. */
export type StorageUse = { own: number; others: number; granted: number; isPersistent: boolean };

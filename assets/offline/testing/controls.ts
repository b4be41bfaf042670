/** Lessons and a store in memory, for tests of what pages show. */
import { vi } from "vitest";

import type { Store } from "../controls/store";
import type { Account, OfflineLesson, StorableCourse, StorableLesson } from "../types";

export const MB = 1024 ** 2;

export const account: Account = {
  user: "amara",
  name: "Amara",
  device: "d1",
  key: {} as CryptoKey,
};

export const algebra = {
  slug: "algebra",
  title: "Linear Algebra",
  url: "/courses/algebra",
  plate: "<svg></svg>",
};

/** A video that is downloaded, unless said otherwise. */
export function storedLesson(values: Partial<OfflineLesson> = {}): OfflineLesson {
  return {
    uid: "l4",
    course: algebra,
    section: 2,
    number: "2.4",
    title: "Eigenvectors",
    kind: "video",
    duration: 780,
    url: "/learn/algebra/eigenvectors",
    quality: "720p",
    state: "downloaded",
    size: 96 * MB,
    received: 96 * MB,
    expiresAt: Date.UTC(2027, 3, 9),
    storedAt: Date.UTC(2027, 2, 9),
    refusal: null,
    isCompleted: false,
    position: 0,
    ...values,
  };
}

/** A video in three qualities. */
export function storableLesson(values: Partial<StorableLesson> = {}): StorableLesson {
  return {
    uid: "l4",
    number: "2.4",
    title: "Eigenvectors",
    kind: "video",
    duration: 780,
    url: "/learn/algebra/eigenvectors",
    section: 2,
    is_completed: false,
    sizes: [
      { quality: "1080p", size: 200 * MB },
      { quality: "720p", size: 100 * MB },
      { quality: "audio", size: 10 * MB },
    ],
    refusal: null,
    ...values,
  };
}

export function storableCourse(lessons: StorableLesson[]): StorableCourse {
  return { course: algebra, days: 30, sections: [{ number: 2, title: "Directions" }], lessons };
}

export type FakeStore = Store & {
  lessons: OfflineLesson[];
  /** Tell the listeners that something has changed. */
  change: () => void;
};

/** A store whose account has these lessons. Its functions are mocks. */
export function createStore(
  lessons: OfflineLesson[] = [],
  changed: Partial<Store> = {},
): FakeStore {
  const listeners = new Set<() => void>();
  const store: FakeStore = {
    lessons,
    change: () => {
      for (const listener of listeners) listener();
    },
    whyNotPossible: vi.fn(() => Promise.resolve(null)),
    readAccount: vi.fn(() => Promise.resolve(account)),
    findUser: vi.fn(() => Promise.resolve(null)),
    openAccount: vi.fn(() => Promise.resolve(null)),
    startAccount: vi.fn(() => Promise.resolve(account)),
    lockAccount: vi.fn(() => Promise.resolve()),
    removeDevice: vi.fn(() => Promise.resolve()),
    countSignedOut: vi.fn(() => Promise.resolve({ lessons: 0, size: 0 })),
    removeSignedOut: vi.fn(() => Promise.resolve()),
    listLessons: vi.fn(() => Promise.resolve([...store.lessons])),
    removeLessons: vi.fn((_, uids: readonly string[]) => {
      store.lessons = store.lessons.filter(({ uid }) => !uids.includes(uid));
      return Promise.resolve();
    }),
    subscribe: vi.fn((listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    }),
    queueLessons: vi.fn(() => Promise.resolve()),
    pauseLesson: vi.fn(() => Promise.resolve()),
    resumeLesson: vi.fn(() => Promise.resolve()),
    retryLesson: vi.fn(() => Promise.resolve()),
    cancelLesson: vi.fn(() => Promise.resolve()),
    renewLessons: vi.fn(() => Promise.resolve()),
    readStorageUse: vi.fn(() =>
      Promise.resolve({ own: 400 * MB, others: 0, granted: 9000 * MB, isPersistent: true }),
    ),
    askForPersistence: vi.fn(() => Promise.resolve(true)),
    readPreferences: vi.fn(() =>
      Promise.resolve({
        quality: "720p" as const,
        isWifiOnly: false,
        removesFinished: false,
        limit: 4096 * MB,
      }),
    ),
    writePreferences: vi.fn(() => Promise.resolve()),
    listChanges: vi.fn(() => Promise.resolve([])),
    removeChange: vi.fn(() => Promise.resolve()),
    sendChanges: vi.fn(() => Promise.resolve({ taken: 0, refused: [], results: [], waiting: 0 })),
    settleChanges: vi.fn(() => Promise.resolve()),
    countLeft: vi.fn(() => Promise.resolve({ attempts: 0, changes: 0 })),
    ...changed,
  };
  return store;
}

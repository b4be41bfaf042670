/** Saves the progress of the player, which knows only the interface `ProgressSink`. */
import { merge, type Pair } from "./watched";

export type Progress = { position: number; watched: Pair[]; at: string };

/** The response of the server. */
export type Saved = {
  completed: boolean;
  newly_completed: boolean;
  course_percent: number;
  completed_lessons: number;
  certificate_url: string | null;
  /** 25, 50, 75 or 100, if this progress reached it. */
  milestone: number | null;
};

export interface ProgressSink {
  save(progress: Progress): void;
  flush(): void;
}

/** Passes progress on at most once per `everyMs`, and at once on `flush`. */
export class ThrottledSink implements ProgressSink {
  #sentAt = 0;
  #pending: Progress | null = null;

  constructor(
    private readonly send: (progress: Progress) => void,
    private readonly everyMs = 5000,
  ) {}

  save(progress: Progress): void {
    if (this.#sentAt === 0) this.#sentAt = Date.now();
    this.#pending = progress;
    if (Date.now() - this.#sentAt >= this.everyMs) this.flush();
  }

  flush(): void {
    if (!this.#pending) return;
    const pending = this.#pending;
    this.#pending = null;
    this.#sentAt = Date.now();
    this.send(pending);
  }
}

type ByLesson = Record<string, Progress>;

/** A video that was left within its last seconds starts from the beginning, as on the server. */
const ENDED_SECONDS = 5;

type Place = { position: number; position_at: string | null; duration: number };

/**
 * The position to resume from, in seconds: that stored on this device, if it is newer than that of the page. A
 * reloaded page is requested before the page that is left has sent its last progress.
 */
export function resumePosition(known: Place, stored: Progress | undefined): number {
  const { position, position_at: at, duration } = known;
  if (!stored || (at !== null && Date.parse(stored.at) <= Date.parse(at))) return position;
  return stored.position >= duration - ENDED_SECONDS ? 0 : stored.position;
}

/** Progress of one user that has not reached the server, by lesson, in local storage. */
export class StoredProgress {
  readonly #key: string;

  constructor(
    private readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem">,
    person: string,
  ) {
    this.#key = `study.progress.${person}`;
  }

  all(): ByLesson {
    try {
      const value: unknown = JSON.parse(this.storage.getItem(this.#key) ?? "{}");
      return typeof value === "object" && value !== null ? (value as ByLesson) : {};
    } catch {
      return {};
    }
  }

  /** Store progress; returns it with what other pages have stored and nobody has sent. */
  add(lesson: string, progress: Progress): Progress {
    const all = this.all();
    const before = all[lesson];
    const watched = merge([...(before?.watched ?? []), ...progress.watched]);
    const joined = { ...(before && before.at > progress.at ? before : progress), watched };
    this.#write({ ...all, [lesson]: joined });
    return joined;
  }

  /** Remove what the server has received, unless newer progress was stored in the meantime. */
  remove(lesson: string, at: string): void {
    const { [lesson]: found, ...others } = this.all();
    if (found?.at === at) this.#write(others);
  }

  #write(all: ByLesson): void {
    try {
      if (Object.keys(all).length === 0) this.storage.removeItem(this.#key);
      else this.storage.setItem(this.#key, JSON.stringify(all));
    } catch {
      // Storage is full: the progress in memory is still sent.
    }
  }
}

export type Post = (
  lesson: string,
  progress: Progress,
  options: { isLeaving: boolean },
) => Promise<Saved>;

/** How progress gets to the server. */
export type Calls = {
  post: Post;
  onSaved: (saved: Saved) => void;
  onRefused: (reason: unknown) => void;
  /** Whether a failed request may succeed later; others are not repeated. */
  isTemporary: (reason: unknown) => boolean;
};

/**
 * Sends progress, one request at a time, in order. Progress that cannot be sent is stored on this device; any page
 * sends it when there is a connection again (lesson/sendProgress.ts).
 */
export class ProgressSender {
  #waiting: Progress | null = null;
  #isSending = false;

  constructor(
    private readonly lesson: string,
    private readonly stored: StoredProgress,
    private readonly calls: Calls,
  ) {}

  send = (progress: Progress): void => {
    this.#waiting = this.stored.add(this.lesson, progress);
    if (!this.#isSending) void this.#run();
  };

  /** Send the last progress while the page is closing, without waiting for earlier requests. */
  leave(progress: Progress): void {
    this.#waiting = null;
    void this.#deliver(this.stored.add(this.lesson, progress), true);
  }

  async #run(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting) {
      const next = this.#waiting;
      this.#waiting = null;
      await this.#deliver(next, false);
    }
    this.#isSending = false;
  }

  async #deliver(progress: Progress, isLeaving: boolean): Promise<void> {
    const { post, onSaved, onRefused, isTemporary } = this.calls;
    try {
      const saved = await post(this.lesson, progress, { isLeaving });
      this.stored.remove(this.lesson, progress.at);
      onSaved(saved);
    } catch (reason) {
      if (isTemporary(reason)) return;
      this.stored.remove(this.lesson, progress.at);
      onRefused(reason);
    }
  }
}

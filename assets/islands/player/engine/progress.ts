/** Saves the progress of the player, which knows only the interface `ProgressSink`. */
import type { Pair } from "./watched";

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

  add(lesson: string, progress: Progress): void {
    this.#write({ ...this.all(), [lesson]: progress });
  }

  /** Remove what the server has received, unless newer progress was stored in the meantime. */
  remove(lesson: string, at: string): void {
    const all = this.all();
    if (all[lesson]?.at !== at) return;
    this.#write(Object.fromEntries(Object.entries(all).filter(([key]) => key !== lesson)));
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

/**
 * Sends progress, one request at a time, in order. Progress that cannot be sent is stored on this device and sent
 * from any lesson page when there is a connection again.
 */
export class ProgressSender {
  #waiting: Progress | null = null;
  #isSending = false;

  constructor(
    private readonly lesson: string,
    private readonly stored: StoredProgress,
    private readonly post: Post,
    private readonly onSaved: (saved: Saved) => void,
    /** Whether a failed request may succeed later; others are not repeated. */
    private readonly isTemporary: (reason: unknown) => boolean,
  ) {}

  send = (progress: Progress): void => {
    this.stored.add(this.lesson, progress);
    this.#waiting = progress;
    if (!this.#isSending) void this.#run();
  };

  /** Send the last progress while the page is closing, without waiting for earlier requests. */
  leave(progress: Progress): void {
    this.stored.add(this.lesson, progress);
    this.#waiting = null;
    void this.#deliver(this.lesson, progress, true);
  }

  /** Send what earlier pages could not send. */
  async sendStored(): Promise<void> {
    for (const [lesson, progress] of Object.entries(this.stored.all())) {
      if (lesson === this.lesson && this.#isSending) continue;
      await this.#deliver(lesson, progress, false);
    }
  }

  async #run(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting) {
      const next = this.#waiting;
      this.#waiting = null;
      await this.#deliver(this.lesson, next, false);
    }
    this.#isSending = false;
  }

  async #deliver(lesson: string, progress: Progress, isLeaving: boolean): Promise<void> {
    try {
      const saved = await this.post(lesson, progress, { isLeaving });
      this.stored.remove(lesson, progress.at);
      if (lesson === this.lesson) this.onSaved(saved);
    } catch (reason) {
      if (!this.isTemporary(reason)) this.stored.remove(lesson, progress.at);
    }
  }
}

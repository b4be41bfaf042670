/** Where the player's progress goes. The player knows only `ProgressSink`. */
import type { Pair } from "./watched";

export type Progress = { position: number; watched: Pair[]; at: string };

/** What the server made of it. */
export type Saved = {
  completed: boolean;
  newly_completed: boolean;
  course_percent: number;
  completed_lessons: number;
  certificate_url: string | null;
  /** 25, 50, 75 or 100, if this reached it. */
  milestone: number | null;
};

export interface ProgressSink {
  save(progress: Progress): void;
  flush(): void;
}

/** Passes progress on at most once per `everyMs` of watching, and at once when asked to. */
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

type Kept = Record<string, Progress>;

/** As the server has it: within these last seconds a video counts as seen, and begins anew. */
const ENDED_SECONDS = 5;

type Place = { position: number; position_at: string | null; duration: number };

/**
 * Where to go on: what this device still keeps, if it is newer than what the server knew when it
 * wrote the page. A page that is reloaded is asked for before the one that goes has said its last.
 */
export function placeOf(known: Place, kept: Progress | undefined): number {
  const { position, position_at: at, duration } = known;
  if (!kept || (at !== null && Date.parse(kept.at) <= Date.parse(at))) return position;
  return kept.position >= duration - ENDED_SECONDS ? 0 : kept.position;
}

/** Progress that has not reached the server, by lesson; one shelf per person. */
export class StoredProgress {
  readonly #key: string;

  constructor(
    private readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem">,
    person: string,
  ) {
    this.#key = `study.progress.${person}`;
  }

  all(): Kept {
    try {
      const value: unknown = JSON.parse(this.storage.getItem(this.#key) ?? "{}");
      return typeof value === "object" && value !== null ? (value as Kept) : {};
    } catch {
      return {};
    }
  }

  keep(lesson: string, progress: Progress): void {
    this.#write({ ...this.all(), [lesson]: progress });
  }

  /** It has arrived, unless something newer was kept meanwhile. */
  forget(lesson: string, at: string): void {
    const kept = this.all();
    if (kept[lesson]?.at !== at) return;
    this.#write(Object.fromEntries(Object.entries(kept).filter(([key]) => key !== lesson)));
  }

  #write(kept: Kept): void {
    try {
      if (Object.keys(kept).length === 0) this.storage.removeItem(this.#key);
      else this.storage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // No room: what is in memory is still sent.
    }
  }
}

export type Post = (
  lesson: string,
  progress: Progress,
  options: { isLeaving: boolean },
) => Promise<Saved>;

/**
 * Sends progress, one message at a time, the newest last. What cannot be sent is kept on this
 * device and sent when there is a connection again, on whatever lesson page that is.
 */
export class ProgressSender {
  #waiting: Progress | null = null;
  #isSending = false;

  constructor(
    private readonly lesson: string,
    private readonly kept: StoredProgress,
    private readonly post: Post,
    private readonly onSaved: (saved: Saved) => void,
    /** Whether it may succeed later; what the server refuses is not repeated for ever. */
    private readonly isTemporary: (reason: unknown) => boolean,
  ) {}

  send = (progress: Progress): void => {
    this.kept.keep(this.lesson, progress);
    this.#waiting = progress;
    if (!this.#isSending) void this.#run();
  };

  /** The page is going: no waiting for an answer, no turn to wait for. */
  leave(progress: Progress): void {
    this.kept.keep(this.lesson, progress);
    this.#waiting = null;
    void this.#deliver(this.lesson, progress, true);
  }

  /** Send what earlier pages could not. */
  async sendStored(): Promise<void> {
    for (const [lesson, progress] of Object.entries(this.kept.all())) {
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
      this.kept.forget(lesson, progress.at);
      if (lesson === this.lesson) this.onSaved(saved);
    } catch (reason) {
      if (!this.isTemporary(reason)) this.kept.forget(lesson, progress.at);
    }
  }
}

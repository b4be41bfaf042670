/** The uploads of this browser: two at a time, resumed automatically. Independent of React. */
import type { ApiError } from "../api/errors";
import type { Running, Task, Transport } from "./transport";

export type TransferState = "waiting" | "sending" | "paused" | "interrupted" | "refused" | "sent";

export type Transfer = {
  id: number;
  file: File;
  /** The uid of the lesson that gets the file. */
  target: string | null;
  replaces: string | null;
  conflict: Task["conflict"];
  state: TransferState;
  /** Bytes. */
  sent: number;
  /** Bytes per second over the last seconds; 0 while nothing is sent. */
  speed: number;
  error: ApiError | null;
  /** When an interrupted transfer resumes, in ms since 1970; null if only the user can resume it. */
  retryAt: number | null;
  url: string | null;
  /** The uid of the video, once the server has created it. */
  video: string | null;
};

export type AddOptions = {
  target?: string | null;
  replaces?: string | null;
  conflict?: Task["conflict"];
  url?: string | null;
  video?: string | null;
  refusal?: ApiError | null;
  /** It waits until the user resumes it. */
  isPaused?: boolean;
  /** Bytes that the server has already. */
  sent?: number;
};

const MAX_PARALLEL = 2;
/** Seconds before an interrupted transfer resumes, by number of failures; the last one repeats. */
export const RETRY_SECONDS = [5, 5, 5, 10, 15, 30, 60];
const GIVE_UP_AFTER = 30;
const SPEED_WINDOW_MS = 5_000;
const NOTIFY_MS = 250;

/** Errors after which a transfer is resumed; all others reject it. */
const temporary = new Set([
  "UPLOAD_NETWORK_ERROR",
  "UPLOAD_BUSY",
  "UPLOAD_OFFSET_MISMATCH",
  "UPLOAD_CHECKSUM_MISMATCH",
  "NETWORK_OFFLINE",
  "NETWORK_FAILED",
  "NETWORK_TIMEOUT",
  "SERVER_ERROR",
  "RATE_LIMIT_EXCEEDED",
  "MAINTENANCE_MODE",
  "STORE_FULL",
]);

type Internals = {
  running: Running | null;
  failures: number;
  samples: { at: number; sent: number }[];
  timer: ReturnType<typeof setTimeout> | undefined;
};

export class Transfers {
  #all: readonly Transfer[] = [];
  #internals = new Map<number, Internals>();
  #listeners = new Set<() => void>();
  #nextId = 1;
  #notice: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly transport: Transport) {}

  get all(): readonly Transfer[] {
    return this.#all;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Whether leaving the page would stop a transfer. */
  get isBusy(): boolean {
    return this.#all.some(({ state }) => state === "sending" || state === "waiting");
  }

  /** Add a file; it starts when fewer than two are being sent. */
  add(file: File, options: AddOptions = {}): Transfer {
    const { refusal = null } = options;
    const transfer: Transfer = {
      id: this.#nextId++,
      file,
      target: options.target ?? null,
      replaces: options.replaces ?? null,
      conflict: options.conflict,
      state: refusal ? "refused" : options.isPaused ? "paused" : "waiting",
      sent: options.sent ?? 0,
      speed: 0,
      error: refusal,
      retryAt: null,
      url: options.url ?? null,
      video: options.video ?? null,
    };
    this.#internals.set(transfer.id, { running: null, failures: 0, samples: [], timer: undefined });
    this.#all = [...this.#all, transfer];
    this.#startNext();
    this.#notify();
    return transfer;
  }

  pause(id: number): void {
    if (!this.#is(id, "sending", "waiting", "interrupted")) return;
    this.#halt(id);
    this.#change(id, { state: "paused", speed: 0, retryAt: null, error: null });
    this.#startNext();
  }

  /** Resume from the last byte that the server has. */
  resume(id: number): void {
    if (!this.#is(id, "paused", "interrupted")) return;
    this.#halt(id);
    this.#change(id, { state: "waiting", error: null, retryAt: null });
    this.#startNext();
  }

  /** Resume all interrupted transfers, as the connection is back. */
  resumeInterrupted = (): void => {
    for (const { id, state } of this.#all) if (state === "interrupted") this.resume(id);
  };

  /** Resume it only when the user does. */
  stopRetrying(id: number): void {
    clearTimeout(this.#internals.get(id)?.timer);
    if (this.#is(id, "interrupted")) this.#change(id, { retryAt: null });
  }

  /** Cancel it here and on the server. */
  async cancel(id: number): Promise<void> {
    const transfer = this.#find(id);
    if (!transfer) return;
    this.#halt(id);
    if (transfer.url && transfer.state !== "sent") await this.transport.remove(transfer.url);
    this.forget(id);
  }

  /** Remove it from the list; the server keeps what it has. */
  forget(id: number): void {
    this.#halt(id);
    this.#internals.delete(id);
    this.#all = this.#all.filter((one) => one.id !== id);
    this.#startNext();
    this.#notify();
  }

  setTarget(id: number, target: string | null): void {
    this.#change(id, { target });
  }

  #startNext(): void {
    const sending = this.#all.filter(({ state }) => state === "sending").length;
    const next = this.#all
      .filter(({ state }) => state === "waiting")
      .slice(0, MAX_PARALLEL - sending);
    for (const { id } of next) this.#start(id);
  }

  #start(id: number): void {
    const transfer = this.#find(id);
    const internals = this.#internals.get(id);
    if (!transfer || !internals) return;
    this.#change(id, { state: "sending", error: null, retryAt: null });
    internals.samples = [];
    const { file, target, replaces, conflict, url } = transfer;
    internals.running = this.transport.start(
      { file, target, replaces, url, ...(conflict && { conflict }) },
      {
        onCreated: (at, video) => {
          const known = this.#find(id);
          if (known && (known.url !== at || known.video !== video))
            this.#change(id, { url: at, video: video ?? known.video });
        },
        onProgress: (sent) => this.#progress(id, sent),
        onDone: () => this.#done(id),
        onFail: (error) => this.#failed(id, error),
      },
    );
  }

  #progress(id: number, sent: number): void {
    const internals = this.#internals.get(id);
    const before = this.#find(id)?.sent ?? 0;
    if (!internals || !this.#is(id, "sending")) return;
    if (sent > before) internals.failures = 0;
    const now = Date.now();
    internals.samples = [
      ...internals.samples.filter(({ at }) => now - at < SPEED_WINDOW_MS),
      { at: now, sent },
    ];
    const first = internals.samples[0];
    const seconds = first ? (now - first.at) / 1000 : 0;
    const speed = first && seconds > 0.5 ? Math.max(0, (sent - first.sent) / seconds) : 0;
    this.#set(id, { sent, speed });
    // Limit notifications to four per second.
    this.#notice ??= setTimeout(() => this.#notify(), NOTIFY_MS);
  }

  #done(id: number): void {
    const transfer = this.#find(id);
    if (transfer)
      this.#change(id, { state: "sent", sent: transfer.file.size, speed: 0, error: null });
    this.#startNext();
  }

  #failed(id: number, error: ApiError): void {
    const internals = this.#internals.get(id);
    if (!internals || !this.#is(id, "sending")) return;
    internals.running = null;
    if (!temporary.has(error.problem.code)) {
      this.#change(id, { state: "refused", error, speed: 0 });
    } else {
      const seconds = RETRY_SECONDS[Math.min(internals.failures, RETRY_SECONDS.length - 1)] ?? 0;
      internals.failures += 1;
      const retryAt = internals.failures <= GIVE_UP_AFTER ? Date.now() + seconds * 1000 : null;
      this.#change(id, { state: "interrupted", error, speed: 0, retryAt });
      if (retryAt !== null) internals.timer = setTimeout(() => this.resume(id), seconds * 1000);
    }
    this.#startNext();
  }

  #halt(id: number): void {
    const internals = this.#internals.get(id);
    if (!internals) return;
    clearTimeout(internals.timer);
    internals.running?.stop();
    internals.running = null;
  }

  #find(id: number): Transfer | undefined {
    return this.#all.find((one) => one.id === id);
  }

  #is(id: number, ...states: TransferState[]): boolean {
    const transfer = this.#find(id);
    return transfer !== undefined && states.includes(transfer.state);
  }

  #set(id: number, change: Partial<Transfer>): void {
    this.#all = this.#all.map((one) => (one.id === id ? { ...one, ...change } : one));
  }

  #change(id: number, change: Partial<Transfer>): void {
    this.#set(id, change);
    this.#notify();
  }

  #notify(): void {
    clearTimeout(this.#notice);
    this.#notice = undefined;
    for (const listener of this.#listeners) listener();
  }
}

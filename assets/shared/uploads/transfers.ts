/** The files on their way from this browser: two at a time, resumed by themselves. No React. */
import type { ApiError } from "../api/errors";
import type { Running, Transport } from "./transport";

export type TransferState = "waiting" | "sending" | "paused" | "interrupted" | "refused" | "sent";

export type Transfer = {
  id: number;
  file: File;
  /** The lesson it is for. */
  target: string | null;
  replaces: string | null;
  state: TransferState;
  /** Bytes. */
  sent: number;
  /** Bytes per second over the last seconds; 0 while nothing moves. */
  speed: number;
  error: ApiError | null;
  /** When an interrupted one goes on by itself, in ms since 1970; null if it waits for somebody. */
  retryAt: number | null;
  url: string | null;
  /** The video it becomes, once the server has said so. */
  video: string | null;
};

export type AddOptions = {
  target?: string | null;
  replaces?: string | null;
  url?: string | null;
  video?: string | null;
  refusal?: ApiError | null;
};

const AT_ONCE = 2;
/** Seconds before an interrupted transfer goes on by itself; the last one repeats. */
export const RETRY_SECONDS = [5, 5, 5, 10, 15, 30, 60];
const GIVE_UP_AFTER = 30;
const SPEED_WINDOW_MS = 5_000;
const NOTIFY_MS = 250;

/** Failures that another try may cure; everything else is a refusal. */
const passing = new Set([
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

type Secrets = {
  running: Running | null;
  failures: number;
  samples: { at: number; sent: number }[];
  timer: ReturnType<typeof setTimeout> | undefined;
};

export class Transfers {
  #all: readonly Transfer[] = [];
  #secrets = new Map<number, Secrets>();
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

  /** Whether leaving the page would stop something. */
  get isBusy(): boolean {
    return this.#all.some(({ state }) => state === "sending" || state === "waiting");
  }

  /** Take a file; it starts as soon as there is room for it. */
  add(file: File, options: AddOptions = {}): Transfer {
    const { refusal = null } = options;
    const transfer: Transfer = {
      id: this.#nextId++,
      file,
      target: options.target ?? null,
      replaces: options.replaces ?? null,
      state: refusal ? "refused" : "waiting",
      sent: 0,
      speed: 0,
      error: refusal,
      retryAt: null,
      url: options.url ?? null,
      video: options.video ?? null,
    };
    this.#secrets.set(transfer.id, { running: null, failures: 0, samples: [], timer: undefined });
    this.#all = [...this.#all, transfer];
    this.#startNext();
    this.#tell();
    return transfer;
  }

  pause(id: number): void {
    if (!this.#is(id, "sending", "waiting", "interrupted")) return;
    this.#halt(id);
    this.#change(id, { state: "paused", speed: 0, retryAt: null, error: null });
    this.#startNext();
  }

  /** Go on from the last byte kept. */
  resume(id: number): void {
    if (!this.#is(id, "paused", "interrupted")) return;
    this.#halt(id);
    this.#change(id, { state: "waiting", error: null, retryAt: null });
    this.#startNext();
  }

  /** The interrupted ones go on at once: the connection is back. */
  resumeInterrupted = (): void => {
    for (const { id, state } of this.#all) if (state === "interrupted") this.resume(id);
  };

  /** Wait for somebody instead of the clock. */
  stopRetrying(id: number): void {
    clearTimeout(this.#secrets.get(id)?.timer);
    if (this.#is(id, "interrupted")) this.#change(id, { retryAt: null });
  }

  /** Give it up here and on the server. */
  async cancel(id: number): Promise<void> {
    const transfer = this.#find(id);
    if (!transfer) return;
    this.#halt(id);
    if (transfer.url && transfer.state !== "sent") await this.transport.remove(transfer.url);
    this.forget(id);
  }

  /** Take it off the list; what the server has stays. */
  forget(id: number): void {
    this.#halt(id);
    this.#secrets.delete(id);
    this.#all = this.#all.filter((one) => one.id !== id);
    this.#startNext();
    this.#tell();
  }

  setTarget(id: number, target: string | null): void {
    this.#change(id, { target });
  }

  #startNext(): void {
    const sending = this.#all.filter(({ state }) => state === "sending").length;
    const next = this.#all.filter(({ state }) => state === "waiting").slice(0, AT_ONCE - sending);
    for (const { id } of next) this.#start(id);
  }

  #start(id: number): void {
    const transfer = this.#find(id);
    const secrets = this.#secrets.get(id);
    if (!transfer || !secrets) return;
    this.#change(id, { state: "sending", error: null, retryAt: null });
    secrets.samples = [];
    const { file, target, replaces, url } = transfer;
    secrets.running = this.transport.start(
      { file, target, replaces, url },
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
    const secrets = this.#secrets.get(id);
    const before = this.#find(id)?.sent ?? 0;
    if (!secrets || !this.#is(id, "sending")) return;
    if (sent > before) secrets.failures = 0;
    const now = Date.now();
    secrets.samples = [
      ...secrets.samples.filter(({ at }) => now - at < SPEED_WINDOW_MS),
      { at: now, sent },
    ];
    const first = secrets.samples[0];
    const seconds = first ? (now - first.at) / 1000 : 0;
    const speed = first && seconds > 0.5 ? Math.max(0, (sent - first.sent) / seconds) : 0;
    this.#set(id, { sent, speed });
    // Bytes arrive faster than anybody reads: the page is told four times a second.
    this.#notice ??= setTimeout(() => this.#tell(), NOTIFY_MS);
  }

  #done(id: number): void {
    const transfer = this.#find(id);
    if (transfer)
      this.#change(id, { state: "sent", sent: transfer.file.size, speed: 0, error: null });
    this.#startNext();
  }

  #failed(id: number, error: ApiError): void {
    const secrets = this.#secrets.get(id);
    if (!secrets || !this.#is(id, "sending")) return;
    secrets.running = null;
    if (!passing.has(error.problem.code)) {
      this.#change(id, { state: "refused", error, speed: 0 });
    } else {
      const seconds = RETRY_SECONDS[Math.min(secrets.failures, RETRY_SECONDS.length - 1)] ?? 0;
      secrets.failures += 1;
      const retryAt = secrets.failures <= GIVE_UP_AFTER ? Date.now() + seconds * 1000 : null;
      this.#change(id, { state: "interrupted", error, speed: 0, retryAt });
      if (retryAt !== null) secrets.timer = setTimeout(() => this.resume(id), seconds * 1000);
    }
    this.#startNext();
  }

  #halt(id: number): void {
    const secrets = this.#secrets.get(id);
    if (!secrets) return;
    clearTimeout(secrets.timer);
    secrets.running?.stop();
    secrets.running = null;
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
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#notice);
    this.#notice = undefined;
    for (const listener of this.#listeners) listener();
  }
}

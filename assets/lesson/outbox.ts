/** Completions made while offline: stored on this device, and sent when there is a connection. */
import { type ApiError, toApiError } from "../shared/api/errors";
import type { components } from "../shared/api/schema.gen";

type Progress = components["schemas"]["ProgressOut"];

/** Time until the next attempt when the server does not respond or fails. */
export const RETRY_MS = 30_000;

/** The outcome of sending a stored completion. */
export type Delivery = {
  lesson: string;
  title: string;
  outcome: { progress: Progress } | { error: ApiError };
};

/** Whether a call got no response, so that it may have succeeded and may be repeated. */
export function hasNoResponse(reason: unknown): boolean {
  const { code } = toApiError(reason).problem;
  return ["NETWORK_OFFLINE", "NETWORK_FAILED", "NETWORK_TIMEOUT"].includes(code);
}

/** Milliseconds until the next attempt; null for a permanent refusal. */
function delayOf(error: ApiError): number | null {
  const { wait } = error.problem.params;
  if (error.is("READING_TOO_SHORT") && typeof wait === "number") return wait * 1000;
  // 0: nothing was sent, as the session has ended.
  const isTemporary =
    hasNoResponse(error) || error.status >= 500 || [0, 401, 408, 429].includes(error.status);
  return isTemporary ? RETRY_MS : null;
}

/** The stored completions of one user. Completing is idempotent, so a lost response loses nothing. */
export class Outbox {
  readonly #key: string;
  #isSending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** A function, as access to storage throws in some browsers. */
    private readonly storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">,
    private readonly userId: string,
    private readonly complete: (lesson: string) => Promise<Progress>,
    private readonly onDelivered: (delivery: Delivery) => void,
  ) {
    this.#key = keyOf(userId);
  }

  /** Lesson → its title. */
  all(): Record<string, string> {
    try {
      const value: unknown = JSON.parse(this.storage().getItem(this.#key) ?? "{}");
      return typeof value === "object" && value !== null ? (value as Record<string, string>) : {};
    } catch {
      return {};
    }
  }

  /** Store a completion. Returns false if storage is blocked, or for a visitor. */
  add(lesson: string, title: string): boolean {
    if (this.userId === "" || !this.#write({ ...this.all(), [lesson]: title })) return false;
    // The browser may be online while the server is down.
    this.sendIn(RETRY_MS);
    return true;
  }

  /** Send what is stored: now, when the connection returns, and later if the server did not respond. */
  start(): void {
    addEventListener("online", () => void this.send());
    void this.send();
  }

  async send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    clearTimeout(this.#timer);
    for (const [lesson, title] of Object.entries(this.all())) {
      try {
        const progress = await this.complete(lesson);
        this.#remove(lesson);
        this.onDelivered({ lesson, title, outcome: { progress } });
      } catch (reason) {
        const error = toApiError(reason);
        const delay = delayOf(error);
        if (delay !== null) {
          this.sendIn(delay);
          continue;
        }
        this.#remove(lesson);
        this.onDelivered({ lesson, title, outcome: { error } });
      }
    }
    this.#isSending = false;
  }

  /** Send after a delay in milliseconds. */
  sendIn(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.send(), delay);
  }

  #remove(lesson: string): void {
    this.#write(Object.fromEntries(Object.entries(this.all()).filter(([key]) => key !== lesson)));
  }

  #write(all: Record<string, string>): boolean {
    try {
      if (Object.keys(all).length === 0) this.storage().removeItem(this.#key);
      else this.storage().setItem(this.#key, JSON.stringify(all));
      return true;
    } catch {
      return false; // storage is full or blocked
    }
  }
}

/** The storage key of a user. site/sendCompletions.ts reads it on every page. */
export function keyOf(userId: string): string {
  return `study.completions.${userId}`;
}

/** Texts that were completed without a connection: kept on this device, and sent once there is one. */
import { type ApiError, toApiError } from "../shared/api/errors";
import type { components } from "../shared/api/schema.gen";

type Progress = components["schemas"]["ProgressOut"];

/** How long to wait before the next attempt when the server does not answer, or cannot. */
export const RETRY_MS = 30_000;

/** What came of a completion that was kept. */
export type Delivery = {
  lesson: string;
  title: string;
  outcome: { progress: Progress } | { error: ApiError };
};

/** Whether no answer came: what was asked may be asked again, and may even have been done. */
export function isUnanswered(reason: unknown): boolean {
  const { code } = toApiError(reason).problem;
  return ["NETWORK_OFFLINE", "NETWORK_FAILED", "NETWORK_TIMEOUT"].includes(code);
}

/** Milliseconds until it is worth asking again; null for a refusal that stays one. */
function delayOf(error: ApiError): number | null {
  const { wait } = error.problem.params;
  if (error.is("READING_TOO_SHORT") && typeof wait === "number") return wait * 1000;
  // 0: nothing was asked, for the session has ended meanwhile.
  const isTemporary =
    isUnanswered(error) || error.status >= 500 || [0, 401, 408, 429].includes(error.status);
  return isTemporary ? RETRY_MS : null;
}

/** Completing is idempotent, so nothing is lost or counted twice if an answer got lost. One shelf per person. */
export class Outbox {
  readonly #key: string;
  #isSending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** Asking for it may fail already: some browsers refuse it. */
    private readonly storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">,
    private readonly person: string,
    private readonly complete: (lesson: string) => Promise<Progress>,
    private readonly onDelivered: (delivery: Delivery) => void,
  ) {
    this.#key = keyOf(person);
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

  /** Whether it is kept; a browser may refuse, and of a visitor nothing is kept. */
  keep(lesson: string, title: string): boolean {
    if (this.person === "" || !this.#write({ ...this.all(), [lesson]: title })) return false;
    // The connection may have been there, and the server not.
    this.sendIn(RETRY_MS);
    return true;
  }

  /** Send what is kept: now, when the connection returns, and after a while if the server could not answer. */
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
        this.#forget(lesson);
        this.onDelivered({ lesson, title, outcome: { progress } });
      } catch (reason) {
        const error = toApiError(reason);
        const delay = delayOf(error);
        if (delay !== null) {
          this.sendIn(delay);
          continue;
        }
        this.#forget(lesson);
        this.onDelivered({ lesson, title, outcome: { error } });
      }
    }
    this.#isSending = false;
  }

  /** Try again after these milliseconds. */
  sendIn(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.send(), delay);
  }

  #forget(lesson: string): void {
    this.#write(Object.fromEntries(Object.entries(this.all()).filter(([key]) => key !== lesson)));
  }

  #write(kept: Record<string, string>): boolean {
    try {
      if (Object.keys(kept).length === 0) this.storage().removeItem(this.#key);
      else this.storage().setItem(this.#key, JSON.stringify(kept));
      return true;
    } catch {
      return false; // no room, or storage is refused
    }
  }
}

/** Where the completions of a person are kept. site.ts looks there on every page. */
export function keyOf(person: string): string {
  return `study.completions.${person}`;
}

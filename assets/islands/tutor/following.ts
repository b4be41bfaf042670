/**
 * Follows answers while they are written: over the socket, and where that is blocked by asking every two seconds.
 * After a lost connection it continues where the shown text ends.
 */
import { addPiece } from "./merging";
import { type OpenSocket, openTutorSocket, type TutorSocket } from "./socket";
import { type Answer, isOpen } from "./types";

export type FollowingEvents = {
  /** All of the text that has arrived so far. */
  onText: (uid: string, text: string) => void;
  /** The answer has ended, or is being continued. */
  onAnswer: (answer: Answer) => void;
  onStatus: (status: string) => void;
  /** Whether the answers that are being followed cannot be reached. */
  onLost: (isLost: boolean) => void;
};

export type FollowingCalls = {
  fetchAnswer: (uid: string) => Promise<Answer>;
  continueAnswer: (uid: string) => Promise<Answer>;
};

const FIRST_POLL_MS = 3_000;
const POLL_MS = 2_000;
/** Over an open socket, too: a lost end would leave the answer unfinished on the page. */
const CHECK_MS = 15_000;

type Followed = { text: string; hasContinued: boolean; isStopped: boolean; isBusy: boolean };

export class Following {
  #followed = new Map<string, Followed>();
  #socket: TutorSocket | null = null;
  #isLive = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly events: FollowingEvents,
    private readonly calls: FollowingCalls,
    private readonly open?: OpenSocket,
  ) {}

  /** Follow an answer from the end of its text. */
  follow(answer: Answer, hasContinued = false): void {
    const one = { text: answer.text, hasContinued, isStopped: false, isBusy: false };
    this.#followed.set(answer.uid, one);
    this.#socket ??= openTutorSocket(
      {
        onMessage: (message) => this.#receive(message),
        onLive: (isLive) => this.#setLive(isLive),
      },
      this.open,
    );
    if (this.#isLive) this.#ask(answer.uid, one);
    this.#poll(this.#isLive ? CHECK_MS : FIRST_POLL_MS);
  }

  /** The user stops an answer: it is not continued by itself. */
  markStopped(uid: string): void {
    const one = this.#followed.get(uid);
    if (one) one.isStopped = true;
  }

  /** No longer follow any answer, such as when another chat is opened. */
  leaveAll(): void {
    for (const uid of this.#followed.keys()) this.#socket?.send({ type: "unfollow", answer: uid });
    this.#followed.clear();
    clearTimeout(this.#timer);
    this.events.onLost(false);
  }

  close(): void {
    this.leaveAll();
    this.#socket?.close();
    this.#socket = null;
    this.#isLive = false;
  }

  #ask(uid: string, { text }: Followed): void {
    this.#socket?.send({ type: "follow", answer: uid, offset: text.length });
  }

  #setLive(isLive: boolean): void {
    this.#isLive = isLive;
    if (isLive) {
      clearTimeout(this.#timer);
      this.events.onLost(false);
      for (const [uid, one] of this.#followed) this.#ask(uid, one);
      this.#poll(CHECK_MS);
    } else if (this.#followed.size > 0) {
      this.events.onLost(!navigator.onLine);
      this.#poll(FIRST_POLL_MS);
    }
  }

  #receive(message: Record<string, unknown>): void {
    const { type, answer } = message;
    if (type === "status") this.events.onStatus(String(message.status));
    else if (type === "ended") this.#settle(answer as Answer);
    else if (typeof answer === "string") {
      const one = this.#followed.get(answer);
      if (!one) return;
      if (type === "text") this.#add(answer, one, Number(message.offset), String(message.text));
      else if (type === "state" && message.state === "interrupted")
        void this.#continue(answer, one);
    }
  }

  #add(uid: string, one: Followed, offset: number, piece: string): void {
    const text = addPiece(one.text, offset, piece);
    if (text === null) this.#ask(uid, one);
    else if (text !== one.text) {
      one.text = text;
      this.events.onText(uid, text);
    }
  }

  #settle(answer: Answer): void {
    const one = this.#followed.get(answer.uid);
    if (!one || one.isBusy) return;
    if (isOpen(answer)) {
      this.#ask(answer.uid, one); // another process continues it
      return;
    }
    if (answer.state === "interrupted" && !one.isStopped && !one.hasContinued) {
      void this.#continue(answer.uid, one);
      return;
    }
    this.#followed.delete(answer.uid);
    this.events.onAnswer(answer);
  }

  /** Its process has died: continue once by itself, later by a button. */
  async #continue(uid: string, one: Followed): Promise<void> {
    if (one.isBusy) return;
    one.isBusy = true;
    try {
      const goesOn = !one.isStopped && !one.hasContinued;
      one.hasContinued = true;
      const answer = await (goesOn ? this.calls.continueAnswer(uid) : this.calls.fetchAnswer(uid));
      if (this.#followed.get(uid) !== one) return;
      this.#followed.delete(uid);
      this.events.onAnswer(answer);
      if (isOpen(answer)) this.follow(answer, true);
    } catch {
      this.#poll(POLL_MS);
    } finally {
      one.isBusy = false;
    }
  }

  #poll(wait: number): void {
    clearTimeout(this.#timer);
    if (this.#followed.size > 0) this.#timer = setTimeout(() => void this.#fetchAll(), wait);
  }

  async #fetchAll(): Promise<void> {
    let isLost = false;
    for (const [uid, one] of [...this.#followed]) {
      const answer = await this.calls.fetchAnswer(uid).catch(() => null);
      if (this.#followed.get(uid) !== one) continue;
      if (!answer) isLost = true;
      else if (isOpen(answer)) this.#add(uid, one, 0, answer.text);
      else this.#settle(answer);
    }
    if (this.#followed.size === 0) return;
    this.events.onLost(isLost);
    this.#poll(this.#isLive && !isLost ? CHECK_MS : POLL_MS);
  }
}

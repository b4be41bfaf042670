/** The open chat: what was asked and answered, and what is being answered now. */
import type { ApiError } from "../../shared/api/errors";
import { toApiError } from "../../shared/api/errors";
import { Following } from "./following";
import type { OpenSocket } from "./socket";
import {
  type Answer,
  type Asking,
  type Chat,
  type ChatRow,
  type Exchange,
  isOpen,
  type Mode,
  statusAfter,
} from "./types";

export type Scope = { course: string | null; lesson: string | null };

/** The calls of the API; tests pass their own. */
export type Calls = {
  startChat: (
    asking: Asking & { course: string | null },
  ) => Promise<{ chat: ChatRow; exchange: Exchange }>;
  fetchChat: (uid: string, before?: number) => Promise<Chat>;
  ask: (chat: string, asking: Asking) => Promise<Exchange>;
  editQuestion: (exchange: string, question: string, key: string) => Promise<Exchange>;
  regenerate: (exchange: string) => Promise<Answer>;
  continueAnswer: (uid: string) => Promise<Answer>;
  fetchAnswer: (uid: string) => Promise<Answer>;
  stop: (uid: string) => Promise<Answer>;
  rate: (uid: string, rating: 1 | -1 | null, reason?: string) => Promise<Answer>;
  setScope: (chat: string, scope: Scope) => Promise<ChatRow>;
};

export type Pending = { asking: Asking; error: ApiError | null };
export type View = {
  chat: ChatRow | null;
  exchanges: readonly Exchange[];
  hasEarlier: boolean;
  /** Uid of an answer that is being written → its text so far. */
  texts: Readonly<Record<string, string>>;
  pending: Pending | null;
  isLost: boolean;
  /** What the tutor says of itself: "online", "thinking", "offline", "error". */
  status: string;
};

const empty = {
  chat: null,
  exchanges: [],
  hasEarlier: false,
  texts: {},
  pending: null,
  isLost: false,
};

export class ChatStore {
  #view: View;
  #listeners = new Set<() => void>();
  #following: Following;

  constructor(
    private readonly calls: Calls,
    status: string,
    private readonly onChat: (chat: ChatRow) => void = () => undefined,
    open?: OpenSocket,
  ) {
    this.#view = { ...empty, status };
    this.#following = new Following(
      {
        onText: (uid, text) => this.#set({ texts: { ...this.#view.texts, [uid]: text } }),
        onAnswer: (answer) => this.#put(answer),
        onStatus: (status) => this.#set({ status }),
        onLost: (isLost) => this.#view.isLost !== isLost && this.#set({ isLost }),
      },
      calls,
      open,
    );
  }

  get view(): View {
    return this.#view;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  close(): void {
    this.#following.close();
  }

  /** Show a chat; null: a new one. */
  show(chat: Chat | null): void {
    this.#following.leaveAll();
    const status = this.#view.status === "thinking" ? "online" : this.#view.status;
    if (!chat) {
      this.#set({ ...empty, status });
      return;
    }
    const { exchanges, has_earlier: hasEarlier, ...row } = chat;
    this.#set({ ...empty, status, chat: row, exchanges, hasEarlier });
    this.#followOpen();
  }

  /** Follow the answers that are being written, as when the chat is shown again. */
  #followOpen(): void {
    for (const { answers } of this.#view.exchanges) {
      const answer = answers.at(-1);
      if (answer && isOpen(answer)) this.#follow(answer);
    }
  }

  /** Follow again after the component was mounted again. */
  resume(): void {
    this.#followOpen();
  }

  async showEarlier(): Promise<void> {
    const { chat, exchanges } = this.#view;
    if (!chat) return;
    const found = await this.calls.fetchChat(chat.uid, exchanges[0]?.position);
    if (this.#view.chat?.uid !== chat.uid) return;
    const known = new Set(this.#view.exchanges.map(({ uid }) => uid));
    const earlier = found.exchanges.filter(({ uid }) => !known.has(uid));
    this.#set({
      exchanges: [...earlier, ...this.#view.exchanges],
      hasEarlier: found.has_earlier,
    });
  }

  /** Ask a question. A failure stays as `pending`, and `retry` sends the same question again. */
  async ask(
    question: string,
    mode: Mode,
    scope: Scope,
    more: Partial<Asking> = {},
  ): Promise<boolean> {
    const asking = { question, mode, key: crypto.randomUUID(), ...more };
    return this.#send(asking, scope);
  }

  async retry(scope: Scope): Promise<void> {
    const { pending } = this.#view;
    if (pending && !(await this.#send(pending.asking, scope)))
      throw this.#view.pending?.error ?? new Error("Not sent");
  }

  /** Forget a question that could not be sent. */
  dismiss(): Asking | null {
    const { pending } = this.#view;
    this.#set({ pending: null });
    return pending?.asking ?? null;
  }

  async #send(asking: Asking, scope: Scope): Promise<boolean> {
    const { chat } = this.#view;
    this.#set({ pending: { asking, error: this.#view.pending?.error ?? null } });
    try {
      let exchange: Exchange;
      let row = chat;
      if (row) exchange = await this.calls.ask(row.uid, asking);
      else ({ chat: row, exchange } = await this.calls.startChat({ ...scope, ...asking }));
      if (this.#view.chat?.uid !== chat?.uid) {
        this.onChat(row); // another chat was opened in the meantime
        return true;
      }
      row = { ...row, changed_at: exchange.created_at };
      const others = this.#view.exchanges.filter(({ uid }) => uid !== exchange.uid);
      this.#set({ chat: row, exchanges: [...others, exchange], pending: null });
      this.onChat(row);
      this.#followLast(exchange);
      return true;
    } catch (thrown) {
      if (this.#view.chat?.uid === chat?.uid)
        this.#set({ pending: { asking, error: toApiError(thrown) } });
      return false;
    }
  }

  /** Ask something else instead: what was asked after it goes. */
  async edit(exchange: string, question: string): Promise<void> {
    const changed = await this.calls.editQuestion(exchange, question, crypto.randomUUID());
    this.#following.leaveAll();
    const before = this.#view.exchanges.filter(({ position }) => position < changed.position);
    this.#set({ exchanges: [...before, changed] });
    this.#followLast(changed);
  }

  async regenerate(exchange: string): Promise<void> {
    const answer = await this.calls.regenerate(exchange);
    this.#set({
      exchanges: this.#view.exchanges.map((one) =>
        one.uid === exchange && !one.answers.some(({ uid }) => uid === answer.uid)
          ? { ...one, answers: [...one.answers, answer] }
          : one,
      ),
    });
    if (isOpen(answer)) this.#follow(answer);
  }

  /** Continue an answer after its text. */
  async continueAnswer(uid: string): Promise<void> {
    const answer = await this.calls.continueAnswer(uid);
    this.#put(answer);
    if (isOpen(answer)) this.#follow(answer);
  }

  /** Continue an answer that failed. Throws if it fails again. */
  async tryAgain(uid: string): Promise<void> {
    await this.continueAnswer(uid);
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        const answer = this.#view.exchanges
          .flatMap(({ answers }) => answers)
          .find((one) => one.uid === uid);
        if (answer && isOpen(answer)) return;
        this.#listeners.delete(look);
        if (answer?.state === "failed") reject(new Error(answer.error?.code));
        else resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** Stop whatever is being written. */
  async stop(): Promise<void> {
    const open = this.#view.exchanges.flatMap(({ answers }) => answers).filter(isOpen);
    for (const { uid } of open) this.#following.markStopped(uid);
    for (const { uid } of open) this.#put(await this.calls.stop(uid));
  }

  async rate(uid: string, rating: 1 | -1 | null, reason?: string): Promise<void> {
    this.#put(await this.calls.rate(uid, rating, reason));
  }

  async setScope(scope: Scope): Promise<void> {
    const { chat } = this.#view;
    if (!chat) return;
    const row = await this.calls.setScope(chat.uid, scope);
    if (this.#view.chat?.uid === row.uid) this.#set({ chat: row });
  }

  rename(row: ChatRow): void {
    if (this.#view.chat?.uid === row.uid)
      this.#set({ chat: { ...this.#view.chat, title: row.title } });
  }

  #followLast({ answers }: Exchange): void {
    const answer = answers.at(-1);
    if (answer && isOpen(answer)) this.#follow(answer);
  }

  #follow(answer: Answer): void {
    this.#set({ texts: { ...this.#view.texts, [answer.uid]: answer.text }, status: "thinking" });
    this.#following.follow(answer);
  }

  #put(answer: Answer): void {
    const { [answer.uid]: shown = "", ...others } = this.#view.texts;
    const longer = shown.length > answer.text.length ? shown : answer.text;
    const texts = isOpen(answer) ? { ...others, [answer.uid]: longer } : others;
    const isIdle = Object.keys(texts).length === 0;
    const wasThinking = isIdle && this.#view.status === "thinking";
    const status = wasThinking ? statusAfter(answer) : this.#view.status;
    this.#set({
      texts,
      status,
      exchanges: this.#view.exchanges.map((one) => ({
        ...one,
        answers: one.answers.map((other) => (other.uid === answer.uid ? answer : other)),
      })),
    });
  }

  #set(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

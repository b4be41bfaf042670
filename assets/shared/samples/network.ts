/** The network of a sample page: a log of its requests, and faults that visitors turn on. */
import { onlineManager } from "@tanstack/react-query";

import { reach } from "../api/client";

/** `reject` is asked of the server; the other faults arise in the browser. */
export type Fault = "slow" | "reject" | "fail" | "offline";

export type LogEntry = {
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  path: string;
  /** The status of the answer, or what else became of the request. */
  outcome: number | "pending" | "cache" | "failed" | "canceled";
  seconds: number;
};

export type NetworkState = { faults: ReadonlySet<Fault>; log: readonly LogEntry[] };

export const DELAY_MS = 2000;
const MAX_ENTRIES = 12;

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("Canceled", "AbortError"));
    });
  });
}

export class Network {
  #state: NetworkState = { faults: new Set(), log: [] };
  #listeners = new Set<() => void>();
  #ids = 0;
  #changes = 0;

  get state(): NetworkState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  has(fault: Fault): boolean {
    return this.#state.faults.has(fault);
  }

  setFault(fault: Fault, isOn: boolean): void {
    const faults = new Set(this.#state.faults);
    if (isOn) faults.add(fault);
    else faults.delete(fault);
    this.#set({ faults });
    if (fault === "reject") this.#changes = 0;
    // Queries and mutations with the network mode "online" wait until it is online again.
    if (fault === "offline") onlineManager.setOnline(!isOn);
  }

  clearLog = (): void => this.#set({ log: [] });

  /** Note that data came from the cache: no request was needed. */
  logCached(path: string): void {
    this.#log("GET", path, "cache");
  }

  /** Whether the server is to reject the next change: the second, the fourth … */
  rejectsNextChange(): boolean {
    this.#changes += 1;
    return this.has("reject") && this.#changes % 2 === 0;
  }

  /** `fetch` for the API client, with the faults and the log. */
  fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const id = this.#log(request.method, pathname, "pending");
    const started = Date.now();
    const end = (outcome: LogEntry["outcome"]): void => {
      const seconds = (Date.now() - started) / 1000;
      const log = this.#state.log.map((one) =>
        one.id === id ? { ...one, outcome, seconds } : one,
      );
      this.#set({ log });
    };
    try {
      const fails = this.has("fail") && request.method === "GET";
      if (this.has("slow")) await pause(DELAY_MS, request.signal);
      const response = fails ? Response.json({}, { status: 503 }) : await reach(request);
      end(response.status);
      return response;
    } catch (thrown) {
      end(request.signal.aborted ? "canceled" : "failed");
      throw thrown;
    }
  };

  #log(method: string, path: string, outcome: LogEntry["outcome"]): number {
    this.#ids += 1;
    const entry = { id: this.#ids, at: Date.now(), method, path, outcome, seconds: 0 };
    this.#set({ log: [entry, ...this.#state.log].slice(0, MAX_ENTRIES) });
    return this.#ids;
  }

  #set(change: Partial<NetworkState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** What jsdom lacks of a browser that stores lessons: databases, locks and caches. Tabs share them. */
import * as fake from "fake-indexeddb";
import { vi } from "vitest";

type Request = { start: () => void };

/** The locks of all tabs. */
export class FakeLocks {
  #queues = new Map<string, Request[]>();
  /** The name of every lock that was asked for. */
  readonly asked: string[] = [];

  request<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.asked.push(name);
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    return new Promise((resolve, reject) => {
      const mine: Request = {
        start: () => {
          void work()
            .then(resolve, reject)
            .finally(() => {
              if (this.#queues.get(name)?.[0] !== mine) return;
              this.killHolder(name);
            });
        },
      };
      queue.push(mine);
      if (queue.length === 1) mine.start();
    });
  }

  isHeld(name: string): boolean {
    return (this.#queues.get(name)?.length ?? 0) > 0;
  }

  /** The tab that holds a lock is closed: the next one gets it. */
  killHolder(name: string): void {
    const queue = this.#queues.get(name);
    queue?.shift();
    queue?.[0]?.start();
  }
}

export class FakeCache {
  readonly entries = new Map<string, Response>();

  static keyOf(request: Request | string): string {
    const address =
      typeof request === "string" ? request : (request as unknown as { url: string }).url;
    return new URL(address, location.origin).href;
  }

  match = (request: string): Promise<Response | undefined> =>
    Promise.resolve(this.entries.get(FakeCache.keyOf(request))?.clone());

  put = async (request: string, response: Response): Promise<void> => {
    const body = await response.arrayBuffer();
    const { status, headers } = response;
    this.entries.set(FakeCache.keyOf(request), new Response(body, { status, headers }));
  };

  addAll = async (requests: { url: string }[]): Promise<void> => {
    for (const { url } of requests) await this.put(url, await fetch(url));
  };
}

export class FakeCaches {
  readonly stored = new Map<string, FakeCache>();

  open = (name: string): Promise<FakeCache> => {
    const cache = this.stored.get(name) ?? new FakeCache();
    this.stored.set(name, cache);
    return Promise.resolve(cache);
  };
  keys = (): Promise<string[]> => Promise.resolve([...this.stored.keys()]);
  delete = (name: string): Promise<boolean> => Promise.resolve(this.stored.delete(name));
  match = async (
    request: string,
    { cacheName }: { cacheName?: string } = {},
  ): Promise<Response | undefined> => {
    for (const [name, cache] of this.stored) {
      if (cacheName !== undefined && name !== cacheName) continue;
      const found = await cache.match(request);
      if (found) return found;
    }
    return undefined;
  };
}

const INDEXED_DB = [
  ...["IDBCursor", "IDBCursorWithValue", "IDBDatabase", "IDBFactory", "IDBIndex", "IDBKeyRange"],
  ...["IDBObjectStore", "IDBOpenDBRequest", "IDBRequest", "IDBTransaction"],
] as const;

export type Browser = { locks: FakeLocks; caches: FakeCaches; quota: number; usage: number };

/** Give the page a browser in which nothing is stored. Undone after the test. */
export function stubBrowser(): Browser {
  const browser: Browser = {
    locks: new FakeLocks(),
    caches: new FakeCaches(),
    quota: 10_000_000_000,
    usage: 0,
  };
  for (const name of INDEXED_DB) vi.stubGlobal(name, (fake as Record<string, unknown>)[name]);
  vi.stubGlobal("indexedDB", new fake.IDBFactory());
  vi.stubGlobal("caches", browser.caches);
  vi.stubGlobal("isSecureContext", true);
  define("locks", browser.locks);
  define("storage", {
    estimate: () => Promise.resolve({ quota: browser.quota, usage: browser.usage }),
    persisted: () => Promise.resolve(false),
    persist: () => Promise.resolve(true),
  });
  return browser;
}

/** Set a property of `navigator`. */
export function define(name: string, value: unknown): void {
  Object.defineProperty(navigator, name, { configurable: true, value });
}

import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";

import { UPDATE_MESSAGE } from "./offline/names";

/** The shell of the current account; empty if there is none. */
const own = { build: "" };
const database = {
  get: (name: string) => Promise.resolve(name === "accounts" ? own : own.build ? "ada" : undefined),
};

type Listener = (event: unknown) => void;
const listeners = new Map<string, Listener>();
/** By the name of a cache: addresses and what is stored for them. */
let stored: Map<string, Map<string, string>>;
const addRoutes = vi.fn<(routes: { condition: object; source: unknown }[]) => Promise<void>>();
const preload = { enable: vi.fn(() => Promise.resolve()), disable: vi.fn(() => Promise.resolve()) };
const skipWaiting = vi.fn(() => Promise.resolve());
const fetch = vi.fn<(request: Request) => Promise<Response>>();
const addAll = vi.fn<(requests: Request[]) => Promise<void>>(() => Promise.resolve());

const pathOf = (address: string | Request): string =>
  new URL(typeof address === "string" ? address : address.url, location.origin).pathname;

/** Outside of pages, Request knows no base of relative addresses. */
class SiteRequest extends Request {
  constructor(input: string | URL | Request, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, location.origin) : input, init);
  }
}

const caches = {
  keys: () => Promise.resolve([...stored.keys()]),
  delete: (name: string) => Promise.resolve(stored.delete(name)),
  open: (name: string) => {
    const cache = stored.get(name) ?? new Map<string, string>();
    stored.set(name, cache);
    return Promise.resolve({
      addAll,
      keys: () =>
        Promise.resolve([...cache.keys()].map((one) => new Request(location.origin + one))),
      match: (address: string | Request) => {
        const found = cache.get(pathOf(address));
        return Promise.resolve(found === undefined ? undefined : new Response(found));
      },
    });
  },
  match: (address: string, { cacheName }: { cacheName?: string } = {}) => {
    const found = [...stored]
      .filter(([name]) => cacheName === undefined || name === cacheName)
      .map(([, cache]) => cache.get(pathOf(address)))
      .find((body) => body !== undefined);
    return Promise.resolve(found === undefined ? undefined : new Response(found));
  },
};

/** Let the worker see a request. Returns what it answers; null if it leaves that to the browser. */
async function request(path: string, init: RequestInit & { isPage?: boolean } = {}) {
  const { isPage = false, ...rest } = init;
  const sent = new Request(new URL(path, location.origin), rest);
  Object.defineProperty(sent, "mode", { value: isPage ? "navigate" : "cors" });
  const answers: Promise<Response>[] = [];
  const respondWith = (given: Promise<Response>): void => {
    answers.push(given);
  };
  const preloadResponse = Promise.resolve(undefined);
  listeners.get("fetch")!({ request: sent, preloadResponse, respondWith });
  return (await answers[0])?.text() ?? null;
}

async function run(kind: "install" | "activate"): Promise<void> {
  let work: Promise<unknown> = Promise.resolve();
  const waitUntil = (given: Promise<unknown>): void => {
    work = given;
  };
  listeners.get(kind)!({ waitUntil, addRoutes });
  await work;
}

beforeAll(async () => {
  const registering = vi.spyOn(globalThis, "addEventListener");
  registering.mockImplementation(((type: string, listener: Listener) => {
    listeners.set(type, listener);
  }) as never);
  const worker = {
    cached: { version: "2", page: "/offline?general", files: ["/static/dist/site.js", "/i.svg"] },
    registration: { navigationPreload: preload },
    clients: { claim: () => Promise.resolve() },
    skipWaiting,
    InstallEvent: { prototype: { addRoutes } },
  };
  Object.assign(globalThis, worker);
  vi.resetModules(); // other tests may have imported its modules with a real database
  vi.doMock("./offline/database", () => ({ openDatabase: () => Promise.resolve(database) }));
  await import("./sw");
  registering.mockRestore();
});

afterAll(() => {
  vi.doUnmock("./offline/database");
  vi.resetModules();
  for (const name of ["cached", "registration", "clients", "skipWaiting", "InstallEvent"])
    Reflect.deleteProperty(globalThis, name);
});

beforeEach(() => {
  vi.stubGlobal("caches", caches);
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("Request", SiteRequest);
  fetch.mockImplementation(() => Promise.resolve(new Response("from the server")));
  addRoutes.mockImplementation(() => Promise.resolve());
  stored = new Map([
    ["study-offline-1", new Map([["/offline", "old"]])],
    [
      "study-offline-2",
      new Map([
        ["/offline", "general page"],
        ["/i.svg", "icons"],
      ]),
    ],
    ["another", new Map<string, string>()],
  ]);
});

it("shows pages of the server, and stores none of them", async () => {
  expect(await request("/dashboard", { isPage: true })).toBe("from the server");
  expect([...(stored.get("study-offline-2") ?? []).keys()]).toEqual(["/offline", "/i.svg"]);
});

it("shows the general page without a connection", async () => {
  fetch.mockRejectedValue(new TypeError("no network"));
  expect(await request("/courses/", { isPage: true })).toBe("general page");
});

it("shows a stored lesson in the shell of its build, also with a connection", async () => {
  stored.set("study-shell-b1", new Map([["/offline", "shell"]]));
  own.build = "b1";
  expect(await request("/offline?lesson=l1", { isPage: true })).toBe("shell");
  expect(await request("/offline", { isPage: true })).toBe("from the server");
  own.build = ""; // nobody is signed in
  expect(await request("/offline?lesson=l1", { isPage: true })).toBe("from the server");
});

it("shows the shell where the connection carries nothing, later to those who reload", async () => {
  stored.set("study-shell-b1", new Map([["/offline", "shell"]]));
  fetch.mockImplementation(() => new Promise(() => undefined));
  vi.useFakeTimers();
  try {
    const shown: (string | null)[] = [];
    for (const cache of ["default", "reload"] as const)
      void request("/learn/a/b", { isPage: true, cache }).then((page) => shown.push(page));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(shown).toEqual(["shell"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown).toEqual(["shell", "shell"]);
  } finally {
    vi.useRealTimers();
  }
});

it("shows an error of the server as it is", async () => {
  fetch.mockResolvedValue(new Response("maintenance", { status: 503 }));
  expect(await request("/courses/", { isPage: true })).toBe("maintenance");
});

it.each(["/api/v1/courses/", "/admin/", "/media/v/a.m4s", "/ws/chat", "/mcp", "/courses/"])(
  "leaves %s to the browser",
  async (path) => {
    expect(await request(path)).toBeNull();
    if (path !== "/courses/") expect(await request(path, { isPage: true })).toBeNull();
  },
);

it("leaves what is sent, and other sites, to the browser", async () => {
  expect(await request("/auth/login", { method: "POST", isPage: true })).toBeNull();
  expect(await request("https://media.test/i.svg")).toBeNull();
});

it("answers for the general page's own files", async () => {
  expect(await request("/i.svg")).toBe("icons");
  expect(fetch).not.toHaveBeenCalled();
});

it("fetches the general page and its files without cookies, all or none", async () => {
  await run("install");
  const sent = addAll.mock.calls[0]![0];
  expect(sent.map((one) => pathOf(one))).toEqual(["/offline", "/static/dist/site.js", "/i.svg"]);
  expect(new Set(sent.map(({ credentials }) => credentials))).toEqual(new Set(["omit"]));
  const pages = addRoutes.mock.calls[0]![0].at(-1);
  expect(pages).toEqual({
    condition: { requestMode: "navigate" },
    source: "race-network-and-fetch-handler",
  });
  addAll.mockRejectedValueOnce(new TypeError("no network"));
  await expect(run("install")).rejects.toThrow();
});

it("is installed by browsers that refuse a rule, too", async () => {
  addRoutes.mockRejectedValue(new TypeError("unknown source"));
  await expect(run("install")).resolves.toBeUndefined();
});

it("deletes what older versions kept, and nothing else", async () => {
  await run("activate");
  expect([...stored.keys()]).toEqual(["study-offline-2", "another"]);
  expect(preload.disable).toHaveBeenCalledOnce();
  expect(preload.enable).not.toHaveBeenCalled();
});

it("takes over from an older version only when told", () => {
  listeners.get("message")!({ data: "hello" });
  expect(skipWaiting).not.toHaveBeenCalled();
  listeners.get("message")!({ data: UPDATE_MESSAGE });
  expect(skipWaiting).toHaveBeenCalledOnce();
});
